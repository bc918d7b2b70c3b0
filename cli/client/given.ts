import { readFile } from "node:fs/promises";
import type { Fields, Method } from "#protos/surface";
import type { Given } from "../command.ts";
import { misunderstood } from "../error.ts";
import type { Terminal } from "../terminal.ts";
import { type Field, isInAddress } from "./fields.ts";
import { fieldValue } from "./values.ts";

interface Words {
  readonly given: Given;
  readonly fields: readonly Field[];
  /** Fields by position. */
  readonly args: readonly string[];
}

/** The request that a command line stands for: the file first, then words by position, then flags. */
export async function requestOf(
  method: Method,
  { given, fields, args }: Words,
  terminal: Terminal,
): Promise<Fields> {
  const request: Record<string, unknown> = { ...(await contentOf(given.flags.file, terminal)) };
  for (const [at, name] of args.entries()) {
    const field = fields.find(({ path }) => path.length === 1 && path[0] === name)!;
    const words = field.schema.type === "array" ? given.args.slice(at) : given.args[at];
    if (words !== undefined && words.length > 0) request[name] = await fieldValue(field, words, terminal);
  }
  for (const field of fields) {
    const flag = given.flags[field.name];
    const at = args.indexOf(field.path[0]!);
    const isWord = at >= 0 && isInAddress(method, field);
    if (flag === undefined || isWord || (method.page && field.name === "all")) continue;
    if (at >= 0 && given.args[at] !== undefined) throw misunderstood(`${field.name} is given twice`);
    put(request, field.path, await fieldValue(field, flag, terminal));
  }
  return request;
}

function put(request: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let at = request;
  for (const name of path.slice(0, -1)) {
    const inner = at[name];
    at = at[name] = typeof inner === "object" && inner !== null ? { ...inner } : {};
  }
  at[path.at(-1)!] = value;
}

async function contentOf(file: Given["flags"][string], terminal: Terminal): Promise<Fields> {
  if (typeof file !== "string") return {};
  const text = await textIn(file, terminal);
  const content = text.trimStart().startsWith("{") ? jsonIn(text) : undefined;
  const read: unknown = content ?? (await yamlIn(text, file));
  if (typeof read !== "object" || read === null || Array.isArray(read))
    throw misunderstood(`--file ${file} holds no fields of a request`);
  return read as Fields;
}

async function textIn(file: string, terminal: Terminal): Promise<string> {
  try {
    return (file === "-" ? await terminal.input!() : await readFile(file)).toString();
  } catch (error) {
    throw misunderstood(`--file ${file} cannot be read: ${(error as Error).message}`);
  }
}

/** JSON needs no library; what only looks like it may still be YAML. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function yamlIn(text: string, file: string): Promise<unknown> {
  const { parse } = await import("yaml");
  try {
    return parse(text);
  } catch (error) {
    throw misunderstood(`--file ${file} is neither JSON nor YAML: ${(error as Error).message}`);
  }
}
