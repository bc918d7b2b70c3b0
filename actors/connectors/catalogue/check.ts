import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { isMap, isScalar, LineCounter, parseDocument } from "yaml";
import { asError, limits } from "#base";
import { packageRoot } from "#protos";
import { partsOf } from "../../cel/template.ts";
import { environments, type Place } from "./template.ts";
import type { ActionFile, AuthFile, JsonSchema, ProviderFile, TriggerFile, Validate } from "./types.ts";

interface FileProblem {
  /** Both from 1. */
  readonly line: number;
  readonly column: number;
  /** `actions.0.request.path` */
  readonly path: string;
  readonly reason: string;
}

type Path = readonly (string | number)[];

export const catalogueFolder = "actors/connectors/catalogue";

/** A file of the catalogue, or everything that is wrong with it, each with its place. */
export function checkFile(
  text: string,
): { readonly file: ProviderFile } | { readonly problems: readonly FileProblem[] } {
  if (Buffer.byteLength(text) > limits.catalogueFileBytesMax)
    return { problems: [atStart(`is longer than ${limits.catalogueFileBytesMax} bytes`)] };
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    maxAliasCount: 100,
    uniqueKeys: true,
  } as object);
  if (document.errors.length > 0)
    return {
      problems: document.errors.map(({ pos, message }) => {
        const { line, col } = lines.linePos(pos[0]);
        return { line, column: col, path: "", reason: message.split("\n")[0]! };
      }),
    };
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    return { problems: [atStart(asError(error).message)] };
  }
  const placed = (path: Path, reason: string): FileProblem => {
    for (let length = path.length; length >= 0; length--) {
      const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
      const start = isMap(node) || isScalar(node) ? node.range?.[0] : undefined;
      if (start === undefined) continue;
      const { line, col } = lines.linePos(start);
      return { line, column: col, path: path.join("."), reason };
    }
    return { line: 1, column: 1, path: path.join("."), reason };
  };
  const validate = validateFile();
  if (!validate(value))
    return {
      problems: validate.errors!.map((error) => placed(pointerParts(error.instancePath), textOf(error))),
    };
  const problems: FileProblem[] = [];
  checkProvider(value as ProviderFile, (path, reason) => problems.push(placed(path, reason)));
  return problems.length > 0 ? { problems } : { file: value as ProviderFile };
}

/** None: the file is sound. */
export function checkProviderFile(text: string): readonly FileProblem[] {
  const checked = checkFile(text);
  return "problems" in checked ? checked.problems : [];
}

const ajv = new Ajv2020({ strict: false, allErrors: true, ownProperties: true });
formats.default(ajv);

let fileValidator: ValidateFunction | undefined;
function validateFile(): ValidateFunction {
  fileValidator ??= ajv.compile(
    JSON.parse(readFileSync(join(packageRoot(), catalogueFolder, "schema.json"), "utf8")) as object,
  );
  return fileValidator;
}

/** Throws where the schema is none. */
function compileSchema(schema: JsonSchema): ValidateFunction {
  return ajv.compile(schema as object);
}

/** A service has far more actions than a tenant executes. */
export function validatorOf(schema: JsonSchema): Validate {
  let compiled: ValidateFunction | undefined;
  const validate: Validate = (value) => {
    compiled ??= compileSchema(schema);
    const sound = compiled(value) as boolean;
    validate.errors = compiled.errors ?? null;
    return sound;
  };
  return validate;
}

/** `a.b[1]`, below `root`, with what is wrong. */
export function fieldErrors(root: string, errors: readonly ErrorObject[] | null | undefined) {
  return (errors ?? []).slice(0, limits.fieldErrorsMax).map((error) => {
    const missing = (error.params as { missingProperty?: string }).missingProperty;
    const parts = [...pointerParts(error.instancePath), ...(missing === undefined ? [] : [missing])];
    const field = parts.reduce<string>(
      (path, part) => (/^\d+$/.test(String(part)) ? `${path}[${part}]` : `${path}.${part}`),
      root,
    );
    return { field, reason: missing === undefined ? textOf(error) : "is required" };
  });
}

/** Never the value: it may be a secret. */
function textOf({ message = "is wrong", params, keyword }: ErrorObject): string {
  if (keyword === "additionalProperties")
    return `has no property ${(params as { additionalProperty: string }).additionalProperty}`;
  if (keyword === "enum")
    return `must be one of ${(params as { allowedValues: unknown[] }).allowedValues.join(", ")}`;
  return message;
}

function pointerParts(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function atStart(reason: string): FileProblem {
  return { line: 1, column: 1, path: "", reason };
}

/** Ways to verify that have no header of their own. */
const needsHeader = new Set(["hmac", "secret_header"]);

/** What the schema of the file cannot say. */
function checkProvider(file: ProviderFile, report: (path: Path, reason: string) => void): void {
  const { actions, triggers = [], errors = {} } = file;
  const hasAction = (name: string | undefined) =>
    name === undefined || actions.some(({ key }) => key === name);
  schemas([], file, ["config"]);
  template("request", ["base_url"], file.base_url);
  for (const [name, auth] of Object.entries(file.auth)) checkAuth(["auth", name], auth);
  for (const name of ["failed", "message"] as const) expression("response", ["errors", name], errors[name]);
  for (const name of ["not_executed", "retry_after"] as const)
    for (const [index, source] of (errors[name] ?? []).entries())
      expression("response", ["errors", name, index], source);
  unique("actions", actions);
  unique("triggers", triggers);
  for (const [index, action] of actions.entries()) checkAction(["actions", index], action);
  for (const [index, trigger] of triggers.entries()) checkTrigger(["triggers", index], trigger);
  if (!hasAction(file.verify)) report(["verify"], `there is no action ${file.verify}`);

  function checkAuth(path: Path, auth: AuthFile): void {
    schemas(path, auth, ["fields"]);
    for (const name of ["authorization_url", "token_url", "revocation_url", "issuer"] as const)
      template("request", [...path, name], auth[name]);
    for (const name of ["headers", "query"] as const)
      template("apply", [...path, "apply", name], auth.apply?.[name]);
  }

  function checkAction(path: Path, action: ActionFile): void {
    const { mutation, idempotency, request, transport } = action;
    schemas(path, action, ["input", "output"]);
    if (!mutations.has(mutation)) expression("request", [...path, "mutation"], mutation);
    if (mutation === "idempotent" && idempotency === undefined && isPost(action))
      report([...path, "idempotency"], "a POST is idempotent only by a key: name its header");
    if (request?.path !== undefined && request.url !== undefined)
      report([...path, "request"], "has path or url, not both");
    if (transport !== "smtp" && request && file.base_url === undefined)
      report([...path, "request"], "needs base_url");
    template("request", [...path, "request"], request);
    template("response", [...path, "result"], action.result);
  }

  function checkTrigger(path: Path, trigger: TriggerFile): void {
    const { verify, challenge, action } = trigger;
    schemas(path, trigger, ["event", "config"]);
    for (const name of ["event_id", "event_type"] as const)
      expression("event", [...path, name], trigger[name]);
    if (verify && verify.header === undefined && needsHeader.has(verify.type))
      report([...path, "verify"], `${verify.type} needs header`);
    for (const name of ["when", "answer"] as const)
      expression("event", [...path, "challenge", name], challenge?.[name]);
    for (const name of ["items", "cursor"] as const) expression("response", [...path, name], trigger[name]);
    template("request", [...path, "input"], trigger.input);
    if (!hasAction(action)) report([...path, "action"], `there is no action ${action}`);
  }

  function unique(list: string, entries: readonly { readonly key: string }[]): void {
    const seen = new Set<string>();
    for (const [index, { key }] of entries.entries()) {
      if (seen.has(key)) report([list, index, "key"], `there is another ${key}`);
      seen.add(key);
    }
  }

  function schemas<Name extends string>(
    path: Path,
    of: { readonly [Key in Name]?: JsonSchema },
    names: readonly Name[],
  ): void {
    for (const name of names) {
      const problem = of[name] && schemaProblem(of[name]);
      if (problem !== undefined) report([...path, name], problem);
    }
  }

  function template(place: Place, path: Path, value: unknown): void {
    if (typeof value === "string") {
      const parts = partsOf(value);
      if ("unclosed" in parts) report(path, `an expression does not end: ${value.slice(parts.unclosed)}`);
      else for (const part of parts) if ("source" in part) expression(place, path, part.source);
    } else if (typeof value === "object" && value !== null)
      for (const [name, member] of Object.entries(value)) template(place, [...path, name], member);
  }

  function expression(place: Place, path: Path, source: string | undefined): void {
    if (source === undefined) return;
    const compiled = environments[place].compile(source);
    if ("problems" in compiled)
      for (const { reason, column } of compiled.problems)
        report(path, `${reason} (character ${column} of the expression)`);
  }
}

function schemaProblem(schema: JsonSchema): string | undefined {
  const text = JSON.stringify(schema);
  if (text.length > limits.catalogueSchemaBytesMax)
    return `is longer than ${limits.catalogueSchemaBytesMax} bytes`;
  if (/"\$ref":"(?!#)/.test(text)) return "has a $ref to another document";
  try {
    compileSchema(schema);
    return undefined;
  } catch (error) {
    return asError(error).message;
  }
}

const mutations = new Set<string>(["none", "idempotent", "non_idempotent"]);

function isPost({ transport, request }: ActionFile): boolean {
  return transport !== "smtp" && request?.method === "POST";
}
