import { readFile } from "node:fs/promises";
import { isMap, type Schema } from "#protos/surface";
import type { FlagValue } from "../command.ts";
import { misunderstood } from "../error.ts";
import type { Terminal } from "../terminal.ts";
import type { Field } from "./fields.ts";

/** What a flag says, as the field of the request wants it. */
export async function fieldValue(field: Field, given: FlagValue, terminal: Terminal): Promise<unknown> {
  const what = `--${field.name}`;
  const { schema } = field;
  if (typeof given === "boolean") return given;
  const texts: Text[] = [];
  for (const one of typeof given === "string" ? [given] : given)
    texts.push(await textOf(one, what, terminal));
  const [first] = texts;
  const isWhole = texts.length === 1 && /^\s*[[{]/.test(first!.text);
  if (schema.type === "array")
    return isWhole && first!.text.trimStart().startsWith("[")
      ? jsonOf(first!.text, what)
      : Promise.all(texts.map((text) => single(schema.items ?? {}, text, what)));
  if (isMap(schema))
    return isWhole
      ? jsonOf(first!.text, what)
      : Object.fromEntries(texts.map((text) => entryOf(schema, text, what)));
  return single(schema, first!, what);
}

interface Text {
  readonly text: string;
  /** Of a file or of standard input. */
  readonly bytes?: Buffer;
}

/** `@FILE` is what a file holds, `-` standard input, `@@x` the text `@x`. */
async function textOf(given: string, what: string, terminal: Terminal): Promise<Text> {
  if (given.startsWith("@@")) return { text: given.slice(1) };
  if (given !== "-" && !given.startsWith("@")) return { text: given };
  const bytes = given === "-" ? await terminal.input!() : await contentOf(given.slice(1), what);
  return { text: bytes.toString(), bytes };
}

async function contentOf(file: string, what: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw misunderstood(`${what}: ${file} cannot be read: ${(error as Error).message}`);
  }
}

async function single(schema: Schema, { text, bytes }: Text, what: string): Promise<unknown> {
  if (schema.contentEncoding !== undefined) return bytes?.toString("base64") ?? text;
  if (schema.enum !== undefined) return known(schema.enum, text, what);
  if (schema.format === "date-time") return timeOf(text, what);
  switch (schema.type) {
    case "string":
      return text;
    case "integer":
    case "number":
      return numberOf(text, what);
    case "boolean":
      return text === "true";
    default:
      return jsonOf(text, what);
  }
}

/** `name=value`; a value that may be anything is JSON where it reads as JSON, else a text. */
function entryOf({ additionalProperties }: Schema, { text }: Text, what: string): readonly [string, unknown] {
  const at = text.indexOf("=");
  if (at < 1) throw misunderstood(`${what} ${text} is not name=value`);
  const [name, value] = [text.slice(0, at), text.slice(at + 1)];
  const { type } = additionalProperties as Schema;
  if (type === "string") return [name, value];
  if (type === "integer" || type === "number") return [name, numberOf(value, what)];
  try {
    return [name, JSON.parse(value)];
  } catch {
    return [name, value];
  }
}

async function known(values: readonly string[], text: string, what: string): Promise<string> {
  if (values.includes(text)) return text;
  const { nearest } = await import("#base");
  const near = nearest(text, values);
  const hint = near === undefined ? `it is one of ${values.join(", ")}` : `did you mean ${near}?`;
  throw misunderstood(`${what} ${text} is not known; ${hint}`);
}

/** What is longer than a double holds stays text, which the service takes as well. */
function numberOf(text: string, what: string): number | string {
  if (!/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text)) throw misunderstood(`${what} ${text} is not a number`);
  const number = Number(text);
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? text : number;
}

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** RFC 3339, or from now on: `+5m`, `-1h`. */
function timeOf(text: string, what: string): string {
  const [, sign, count, unit] = /^([+-])(\d+)([smhd])$/.exec(text) ?? [];
  if (unit !== undefined)
    return new Date(Date.now() + Number(`${sign}${count}`) * unitMs[unit]!).toISOString();
  if (/^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text))) return text;
  throw misunderstood(`${what} ${text} is not a time; it is like 2026-03-01T12:00:00Z or +5m`);
}

function jsonOf(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw misunderstood(`${what} is not JSON; a text needs its quotes: ${(error as Error).message}`);
  }
}
