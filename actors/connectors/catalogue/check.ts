import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { isMap, isScalar, LineCounter, parseDocument } from "yaml";
import { limits } from "#base";
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
    return { problems: [atStart((error as Error).message)] };
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
  new Checker((path, reason) => problems.push(placed(path, reason))).file(value as ProviderFile);
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
class Checker {
  readonly #report: (path: Path, reason: string) => void;

  constructor(report: (path: Path, reason: string) => void) {
    this.#report = report;
  }

  file(file: ProviderFile): void {
    this.#schema(["config"], file.config);
    this.#template("request", ["base_url"], file.base_url);
    for (const [name, auth] of Object.entries(file.auth)) this.#auth(["auth", name], auth);
    this.#expression("response", ["errors", "failed"], file.errors?.failed);
    this.#expression("response", ["errors", "message"], file.errors?.message);
    for (const name of ["not_executed", "retry_after"] as const)
      for (const [index, source] of (file.errors?.[name] ?? []).entries())
        this.#expression("response", ["errors", name, index], source);
    this.#unique("actions", file.actions);
    this.#unique("triggers", file.triggers ?? []);
    for (const [index, action] of file.actions.entries()) this.#action(["actions", index], action, file);
    for (const [index, trigger] of (file.triggers ?? []).entries())
      this.#trigger(["triggers", index], trigger, file);
    if (file.verify !== undefined && !file.actions.some(({ key }) => key === file.verify))
      this.#report(["verify"], `there is no action ${file.verify}`);
  }

  #auth(path: Path, auth: AuthFile): void {
    this.#schema([...path, "fields"], auth.fields);
    for (const name of ["authorization_url", "token_url", "revocation_url", "issuer"] as const)
      this.#template("request", [...path, name], auth[name]);
    this.#template("apply", [...path, "apply", "headers"], auth.apply?.headers);
    this.#template("apply", [...path, "apply", "query"], auth.apply?.query);
  }

  #action(path: Path, action: ActionFile, file: ProviderFile): void {
    this.#schema([...path, "input"], action.input);
    this.#schema([...path, "output"], action.output);
    if (!mutations.has(action.mutation)) this.#expression("request", [...path, "mutation"], action.mutation);
    if (action.mutation === "idempotent" && action.idempotency === undefined && isPost(action))
      this.#report([...path, "idempotency"], "a POST is idempotent only by a key: name its header");
    if (action.request?.path !== undefined && action.request.url !== undefined)
      this.#report([...path, "request"], "has path or url, not both");
    if (action.transport !== "smtp" && action.request && file.base_url === undefined)
      this.#report([...path, "request"], "needs base_url");
    this.#template("request", [...path, "request"], action.request);
    this.#template("response", [...path, "result"], action.result);
  }

  #trigger(path: Path, trigger: TriggerFile, file: ProviderFile): void {
    this.#schema([...path, "event"], trigger.event);
    this.#schema([...path, "config"], trigger.config);
    this.#expression("event", [...path, "event_id"], trigger.event_id);
    this.#expression("event", [...path, "event_type"], trigger.event_type);
    if (trigger.verify && trigger.verify.header === undefined && needsHeader.has(trigger.verify.type))
      this.#report([...path, "verify"], `${trigger.verify.type} needs header`);
    this.#expression("event", [...path, "challenge", "when"], trigger.challenge?.when);
    this.#expression("event", [...path, "challenge", "answer"], trigger.challenge?.answer);
    this.#expression("response", [...path, "items"], trigger.items);
    this.#expression("response", [...path, "cursor"], trigger.cursor);
    this.#template("request", [...path, "input"], trigger.input);
    if (trigger.action !== undefined && !file.actions.some(({ key }) => key === trigger.action))
      this.#report([...path, "action"], `there is no action ${trigger.action}`);
  }

  #unique(list: string, entries: readonly { readonly key: string }[]): void {
    const seen = new Set<string>();
    for (const [index, { key }] of entries.entries()) {
      if (seen.has(key)) this.#report([list, index, "key"], `there is another ${key}`);
      seen.add(key);
    }
  }

  #schema(path: Path, schema: JsonSchema | undefined): void {
    if (schema === undefined) return;
    const problem = schemaProblem(schema);
    if (problem !== undefined) this.#report(path, problem);
  }

  #template(place: Place, path: Path, template: unknown): void {
    if (typeof template === "string") {
      const parts = partsOf(template);
      if ("unclosed" in parts)
        this.#report(path, `an expression does not end: ${template.slice(parts.unclosed)}`);
      else for (const part of parts) if ("source" in part) this.#expression(place, path, part.source);
    } else if (typeof template === "object" && template !== null)
      for (const [name, value] of Object.entries(template)) this.#template(place, [...path, name], value);
  }

  #expression(place: Place, path: Path, source: string | undefined): void {
    if (source === undefined) return;
    const compiled = environments[place].compile(source);
    if ("problems" in compiled)
      for (const { reason, column } of compiled.problems)
        this.#report(path, `${reason} (character ${column} of the expression)`);
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
    return (error as Error).message;
  }
}

const mutations = new Set<string>(["none", "idempotent", "non_idempotent"]);

function isPost({ transport, request }: ActionFile): boolean {
  return transport !== "smtp" && request?.method === "POST";
}
