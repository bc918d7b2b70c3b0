import {
  type DescField,
  type DescMessage,
  type DescMethod,
  type FileRegistry,
  ScalarType,
} from "@bufbuild/protobuf";
import { capabilityProblems } from "./capability-problems.ts";
import { declaredCapabilities, declaredEvents, roleOptions } from "./declarations.ts";
import { environmentProblems } from "./environment-problems.ts";
import { governanceProblems, serviceProblems } from "./governance-problems.ts";
import { fieldOptions, type HttpRule, type MethodOptions, methodOptions } from "./options.ts";
import { roleProblems } from "./role-problems.ts";
import { commandProblems, namedProblems, toolProblems } from "./surface-problems.ts";
import { defaultProblems, waitProblems } from "./wait-problems.ts";

/** What is missing or contradictory in the options of the RPCs, one sentence each; empty for a sound contract. */
export function contractProblems(registry: FileRegistry, packages: readonly string[]): string[] {
  const roles = roleOptions(registry, packages);
  const roleNames = new Set(roles.map(({ name }) => name));
  const problems = [...roleProblems(roles), ...capabilityProblems(declaredCapabilities(registry, packages))];
  const bound = new Map<string, string>();
  const commands = new Map<string, string>();
  for (const file of registry.files) {
    if (!packages.includes(file.proto.package)) continue;
    for (const service of file.services) {
      for (const problem of serviceProblems(registry, service)) problems.push(`${service.name}: ${problem}`);
      for (const method of service.methods) {
        const options = methodOptions(registry, method);
        const found = [
          ...governanceProblems(registry, method, roleNames),
          ...environmentProblems(registry, method),
          ...actorProblems(options, method),
          ...repeatProblems(options, method),
          ...paginationProblems(options, method),
          ...quotaProblems(options, method),
          ...waitProblems(registry, method),
          ...bindingProblems(options, method),
          ...sseProblems(options, method),
          ...sharedBindings(options, `${service.name}.${method.name}`, bound),
          ...commandProblems(options, method, commands),
          ...namedProblems(options, method),
          ...toolProblems(registry, options, method),
        ];
        for (const problem of found) problems.push(`${service.name}.${method.name}: ${problem}`);
      }
    }
  }
  const fields = fieldsOf(registry, packages);
  return [
    ...problems,
    ...eventProblems(registry),
    ...replayProblems(registry, packages),
    ...defaultProblems(registry, fields),
    ...missingCalls(registry, fields, bound),
  ];
}

function eventProblems(registry: FileRegistry): string[] {
  const seen = new Map<string, string>();
  return declaredEvents(registry).flatMap(({ kind, message: { name } }) => {
    const problems: string[] = [];
    if (!/^[a-z][a-z_]*\.[a-z][a-z_]*$/.test(kind)) problems.push(`${name}: ${kind} is not a kind of event`);
    if (seen.has(kind)) problems.push(`${name}: ${kind} is declared by ${seen.get(kind)} too`);
    seen.set(kind, name);
    return problems;
  });
}

function fieldsOf(registry: FileRegistry, packages: readonly string[]): DescField[] {
  return [...registry].flatMap((type) =>
    type.kind === "message" && packages.includes(type.file.proto.package) ? type.fields : [],
  );
}

/** An error that sends its reader to a call that does not exist is worse than none. */
function missingCalls(
  registry: FileRegistry,
  fields: readonly DescField[],
  bound: ReadonlyMap<string, string>,
): string[] {
  return fields.flatMap((field) =>
    fieldOptions(registry, field)
      .changedBy.filter((call) => !bound.has(addressOf(call)))
      .map(
        (call) => `${field.parent.name}.${field.name}: changed_by names ${call}, which is no REST binding`,
      ),
  );
}

/** A mark that nothing acts on is worse than none: only fields of the answer itself are left out of what is stored. */
function replayProblems(registry: FileRegistry, packages: readonly string[]): string[] {
  const problems: string[] = [];
  const answers = repeatedAnswers(registry, packages);
  for (const message of registry) {
    if (message.kind !== "message" || !packages.includes(message.file.proto.package)) continue;
    for (const field of message.fields) {
      if (!fieldOptions(registry, field).replayOmit) continue;
      const name = `${message.name}.${field.name}`;
      if (!field.proto.proto3Optional) problems.push(`${name}: is marked replay_omit and is not optional`);
      if (!answers.has(message))
        problems.push(
          `${name}: is marked replay_omit, and no method with an Idempotency-Key answers with it`,
        );
    }
  }
  return problems;
}

function repeatedAnswers(registry: FileRegistry, packages: readonly string[]): ReadonlySet<DescMessage> {
  const methods = [...registry.files]
    .filter((file) => packages.includes(file.proto.package))
    .flatMap((file) => file.services.flatMap((service) => service.methods));
  return new Set(
    methods
      .filter((method) => methodOptions(registry, method).method?.repeat === "REPEAT_BY_KEY")
      .map(({ output }) => output),
  );
}

function actorProblems({ method }: MethodOptions, { input, methodKind }: DescMethod): string[] {
  const actor = method?.actor;
  if (actor === undefined) return [];
  if (methodKind !== "unary") return ["has two targets: it is a stream and names an entity (`actor`)"];
  if (actor.kind === undefined || actor.kind === "") return ["actor.kind is empty"];
  const name = actor.handle_of ?? actor.child_of ?? actor.whole;
  if (name === undefined) return actor.constant === undefined ? ["actor has no key"] : [];
  const field = fieldOf(input, name);
  if (field === undefined) return [`actor field ${name} is not in ${input.name}`];
  const isString = field.fieldKind === "scalar" && field.proto.type === 9;
  return isString ? [] : [`actor field ${name} is not a string`];
}

function repeatProblems(
  { method }: MethodOptions,
  { idempotency, methodKind, deprecated }: DescMethod,
): string[] {
  const problems: string[] = [];
  const readOnly = idempotency === 1;
  const repeat = method?.repeat;
  if (readOnly && repeat !== undefined) problems.push("has no side effects, so `repeat` says nothing");
  if (!readOnly && methodKind === "unary" && repeat === undefined) {
    problems.push("has side effects and does not say why a repeat does no harm (`repeat`)");
  }
  if (method?.creates !== undefined && repeat !== "REPEAT_BY_KEY") {
    problems.push("creates something and takes no Idempotency-Key");
  }
  if (method?.successor !== undefined && !deprecated) problems.push("has a successor and is not deprecated");
  return problems;
}

function paginationProblems({ method }: MethodOptions, { input, output, name }: DescMethod): string[] {
  const pagination = method?.pagination;
  if (pagination === undefined) {
    return name.startsWith("List") && fieldOf(input, "page_token") !== undefined
      ? ["has a page_token and no pagination"]
      : [];
  }
  const problems: string[] = [];
  const expect = (message: DescMessage, names: readonly string[]) => {
    for (const field of names) {
      if (fieldOf(message, field) === undefined) problems.push(`pagination: ${message.name} has no ${field}`);
    }
  };
  if (pagination.convention === "CONVENTION_CURSOR") {
    expect(input, ["page_size", "page_token", "offset"]);
    expect(output, ["next_page_token", "total"]);
  } else if (pagination.convention === "CONVENTION_PAGE") {
    expect(input, ["page", "per_page"]);
    expect(output, ["total", "page", "per_page"]);
  } else {
    problems.push("pagination has no convention");
  }
  if (fieldOf(output, pagination.items_field ?? "")?.fieldKind !== "list") {
    problems.push(`pagination.items_field ${pagination.items_field} is not a list in ${output.name}`);
  }
  return problems;
}

function quotaProblems({ method }: MethodOptions, { input, idempotency }: DescMethod): string[] {
  if (method?.quota === undefined) return [];
  const { operation = "", length_of: lengthOf, amount_of: amountOf } = method.quota;
  const problems: string[] = [];
  if (!/^[a-z][a-z_]*$/.test(operation))
    problems.push(`quota.operation ${operation} is not a name (a-z and _)`);
  if (idempotency === 1) problems.push("has no side effects and is counted against a quota");
  if (lengthOf !== undefined && fieldOf(input, lengthOf)?.fieldKind !== "list")
    problems.push(`quota.length_of ${lengthOf} is not a list in ${input.name}`);
  if (amountOf !== undefined && !isInteger(fieldOf(input, amountOf)))
    problems.push(`quota.amount_of ${amountOf} is not a number in ${input.name}`);
  return problems;
}

function isInteger(field: ReturnType<typeof fieldOf>): boolean {
  return field?.fieldKind === "scalar" && integers.has(field.scalar);
}

const integers: ReadonlySet<ScalarType> = new Set([
  ScalarType.INT32,
  ScalarType.UINT32,
  ScalarType.INT64,
  ScalarType.UINT64,
]);

function bindingProblems({ http, method }: MethodOptions, descriptor: DescMethod): string[] {
  if (http === undefined) return [];
  if (descriptor.methodKind === "bidi_streaming")
    return ["is a bidirectional stream and cannot have a REST binding"];
  const problems: string[] = [];
  for (const rule of [http, ...(http.additional_bindings ?? [])]) {
    problems.push(...ruleProblems(rule, descriptor));
  }
  if (method?.creates !== undefined && http.post === undefined && http.put === undefined) {
    problems.push("creates something and is not bound to POST or PUT");
  }
  return problems;
}

/** A stream has a REST path only as events, and its option names what is there. */
function sseProblems({ http, method }: MethodOptions, { input, output, methodKind }: DescMethod): string[] {
  const sse = method?.sse;
  if (sse === undefined)
    return http !== undefined && methodKind !== "unary" && method?.raw !== true
      ? [
          "is a stream with a REST binding and says neither how its answers become events (`sse`) nor that it is bytes (`raw`)",
        ]
      : [];
  if (methodKind !== "server_streaming" || http?.get === undefined)
    return ["has `sse` and is not a server stream with a GET"];
  const problems: string[] = [];
  if ((sse.oneof === undefined) === (sse.data === undefined))
    problems.push("sse has neither or both of `oneof` and `data`");
  if (sse.oneof !== undefined && !output.oneofs.some(({ name }) => name === sse.oneof))
    problems.push(`sse.oneof ${sse.oneof} is not in ${output.name}`);
  for (const [name, path] of [
    ["event", sse.event],
    ["data", sse.data],
    ["id", sse.id],
  ] as const)
    if (path !== undefined && !hasPath(output, path))
      problems.push(`sse.${name} ${path} is not in ${output.name}`);
  if (sse.resume !== undefined && fieldOf(input, sse.resume)?.fieldKind !== "scalar")
    problems.push(`sse.resume ${sse.resume} is not a scalar field of ${input.name}`);
  return problems;
}

function hasPath(message: DescMessage, path: string): boolean {
  const [name, ...rest] = path.split(".");
  const field = fieldOf(message, name!);
  if (field === undefined || rest.length === 0) return field !== undefined;
  return field.message !== undefined && hasPath(field.message, rest.join("."));
}

/** Two methods cannot answer the same verb and path, whatever they call its variables. */
function sharedBindings({ http }: MethodOptions, name: string, bound: Map<string, string>): string[] {
  if (http === undefined) return [];
  const problems: string[] = [];
  for (const rule of [http, ...(http.additional_bindings ?? [])]) {
    const verb = (["get", "put", "post", "delete", "patch"] as const).find((key) => rule[key] !== undefined);
    if (verb === undefined) continue;
    const address = addressOf(`${verb.toUpperCase()} ${rule[verb]!}`);
    const other = bound.get(address);
    if (other !== undefined) problems.push(`is bound to ${address} like ${other}`);
    bound.set(address, name);
  }
  return problems;
}

function addressOf(call: string): string {
  return call.replaceAll(/\{[^}]*\}/g, "{}");
}

function ruleProblems(rule: HttpRule, { input, output, idempotency, methodKind }: DescMethod): string[] {
  const problems: string[] = [];
  const template = rule.get ?? rule.put ?? rule.post ?? rule.delete ?? rule.patch;
  if (template === undefined) return ["has a REST binding without GET, PUT, POST, DELETE or PATCH"];
  // A stream of events is a GET by what it is.
  if (methodKind === "unary" && (rule.get !== undefined) !== (idempotency === 1)) {
    problems.push(`${template}: GET and idempotency_level = NO_SIDE_EFFECTS go together`);
  }
  if ((rule.get !== undefined || rule.delete !== undefined) && rule.body !== undefined) {
    problems.push(`${template}: GET and DELETE take no body`);
  }
  if (rule.body !== undefined && rule.body !== "*" && fieldOf(input, rule.body) === undefined) {
    problems.push(`${template}: body ${rule.body} is not in ${input.name}`);
  }
  if (rule.response_body !== undefined && fieldOf(output, rule.response_body) === undefined) {
    problems.push(`${template}: response_body ${rule.response_body} is not in ${output.name}`);
  }
  for (const [, name] of template.matchAll(/\{([^}=]+)[^}]*\}/g)) {
    if (fieldOf(input, name!)?.fieldKind !== "scalar") {
      problems.push(`${template}: {${name}} is not a scalar field of ${input.name}`);
    }
  }
  return problems;
}

function fieldOf(message: DescMessage, name: string) {
  return message.fields.find((field) => field.name === name);
}
