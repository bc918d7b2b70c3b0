import type { DescMessage, DescMethod, FileRegistry } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as Level } from "@bufbuild/protobuf/wkt";
import {
  type EnvironmentOptions,
  environmentOf,
  fieldOptions,
  type GovernanceOptions,
  governanceOf,
  type HttpRule,
  type MethodOptions,
} from "#protos";
import { messagesIn } from "./field-plan.ts";
import type {
  ActorKey,
  Command,
  ContractMethod,
  Governance,
  MethodEnvironment,
  Pagination,
  Quota,
  RestBinding,
  Wait,
} from "./method.ts";
import { type Compilers, validatorOf } from "./validate.ts";

/** One RPC's options as the gateway reads them; `contractProblems` has found them complete. */
export function toContractMethod(
  registry: FileRegistry,
  descriptor: DescMethod,
  options: MethodOptions,
  compilers: Compilers,
): ContractMethod {
  const own = options.method!;
  const pagination = own.pagination === undefined ? undefined : toPagination(own.pagination);
  const idempotent = own.repeat === "REPEAT_BY_KEY";
  return {
    name: `${descriptor.parent.name}.${descriptor.name}`,
    path: `/${descriptor.parent.typeName}/${descriptor.name}`,
    kind: descriptor.methodKind,
    descriptor,
    governance: toGovernance(governanceOf(registry, descriptor)),
    environment: toEnvironment(environmentOf(registry, descriptor)),
    ...(own.actor === undefined ? {} : { actor: toActorKey(own.actor) }),
    rest: options.http === undefined ? [] : toBindings(options.http),
    idempotent,
    acceptsSecrets: hasSensitive(registry, descriptor.input),
    ...replayOmitted(registry, descriptor.output),
    readOnly: descriptor.idempotency === Level.NO_SIDE_EFFECTS,
    rateCost: own.rate_cost ?? 1,
    ...(own.wait === undefined ? {} : { wait: toWait(own.wait) }),
    audit:
      own.audit === undefined
        ? idempotent
          ? "write"
          : "none"
        : word<ContractMethod["audit"]>(own.audit, "AUDIT_"),
    ...(pagination === undefined ? {} : { pagination }),
    ...(descriptor.deprecated
      ? { deprecated: own.successor === undefined ? {} : { successor: own.successor } }
      : {}),
    envelope: own.envelope === "ENVELOPE_NONE" ? "none" : "data",
    ...(own.creates === undefined ? {} : { creates: own.creates.split(/\{([a-z_]+)\}/) }),
    ...(own.media_type === undefined ? {} : { mediaType: own.media_type }),
    ...(own.example === undefined ? {} : { example: JSON.parse(own.example) as unknown }),
    ...(own.quota === undefined ? {} : { quota: toQuota(own.quota) }),
    ...(own.entitlement === undefined ? {} : { entitlement: own.entitlement }),
    ...(own.sse === undefined ? {} : { sse: own.sse }),
    ...(own.raw === true ? { raw: { bytesMax: Number(own.max_body ?? 0) } } : {}),
    headers: own.headers ?? [],
    ...commandOf(own, options.http),
    ...(own.mcp === undefined ? {} : { tool: word<"read" | "trigger">(own.mcp, "MCP_") }),
    validate: validatorOf(registry, descriptor, pagination, compilers),
  };
}

function commandOf({ cli, columns, named }: Own, http: HttpRule | undefined): { command?: Command } {
  if (cli === undefined || http === undefined) return {};
  const [group = "", verb, ...args] = cli.split(" ");
  const [{ template }] = toBindings(http) as [RestBinding];
  const inPath = [...template.matchAll(/\{([^}=]+)[^}]*\}/g)].map(([, name]) => name!);
  return {
    command: {
      group,
      ...(verb !== undefined && { verb }),
      args: args.length > 0 ? args : inPath,
      columns: columns?.split(" ") ?? [],
      ...(named?.by !== undefined && { named: { by: named.by, ids: named.ids ?? [] } }),
    },
  };
}

/** A field of the message, or of a message in it, is marked `sensitive`. */
function hasSensitive(registry: FileRegistry, message: DescMessage): boolean {
  for (const { fields } of messagesIn([message]))
    if (fields.some((field) => fieldOptions(registry, field).sensitive)) return true;
  return false;
}

function replayOmitted(
  registry: FileRegistry,
  { fields }: DescMessage,
): { replayOmitted?: readonly string[] } {
  const names = fields.filter((field) => fieldOptions(registry, field).replayOmit).map(({ name }) => name);
  return names.length === 0 ? {} : { replayOmitted: names };
}

type Own = NonNullable<MethodOptions["method"]>;

function toGovernance(governance: GovernanceOptions): Governance {
  return {
    lifecycle: word(governance.lifecycle!, "LIFECYCLE_"),
    audience: word(governance.audience!, "AUDIENCE_"),
    authenticationRequired: governance.authentication_required!,
    authorizationRequired: governance.authorization_required!,
    resource: governance.resource!,
    action: governance.action!,
    scopes: governance.scopes ?? [],
    roles: governance.roles ?? [],
    internalOnly: governance.internal_only!,
  };
}

function toEnvironment({ from, open }: EnvironmentOptions): MethodEnvironment {
  return { from: word(from!, "FROM_"), ...(open !== undefined && { open }) };
}

function toActorKey(actor: NonNullable<Own["actor"]>): ActorKey {
  const kind = actor.kind!;
  if (actor.handle_of !== undefined) return { kind, field: actor.handle_of, form: "handle" };
  if (actor.child_of !== undefined) return { kind, field: actor.child_of, form: "child" };
  if (actor.whole !== undefined) return { kind, field: actor.whole, form: "whole" };
  return { kind, form: "constant", value: actor.constant! };
}

function toWait({ field, ms }: NonNullable<Own["wait"]>): Wait {
  return field === undefined ? { ms: ms! } : { field, unitMs: field.endsWith("_ms") ? 1 : 1_000 };
}

function toPagination(pagination: NonNullable<Own["pagination"]>): Pagination {
  return { convention: word(pagination.convention!, "CONVENTION_"), itemsField: pagination.items_field! };
}

function toQuota({ operation, length_of: lengthOf, amount_of: amountOf }: NonNullable<Own["quota"]>): Quota {
  return {
    operation: operation!,
    ...(lengthOf !== undefined && { lengthOf }),
    ...(amountOf !== undefined && { amountOf }),
  };
}

function toBindings(rule: HttpRule): RestBinding[] {
  return [rule, ...(rule.additional_bindings ?? [])].map((one) => {
    const [verb, template] = verbs.flatMap(([key, name]) =>
      one[key] === undefined ? [] : [[name, one[key]] as const],
    )[0]!;
    return {
      verb,
      template,
      ...(one.body === undefined ? {} : { body: one.body }),
      ...(one.response_body === undefined ? {} : { responseBody: one.response_body }),
    };
  });
}

const verbs = [
  ["get", "GET"],
  ["post", "POST"],
  ["put", "PUT"],
  ["patch", "PATCH"],
  ["delete", "DELETE"],
] as const;

/** `LIFECYCLE_SUPPORTED` → `supported` */
function word<T extends string>(name: string, prefix: string): T {
  return name.slice(prefix.length).toLowerCase() as T;
}
