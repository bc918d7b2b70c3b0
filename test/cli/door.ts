import { surface } from "../../cli/client/surface.ts";
import type { ContractMethod } from "../../gateway/contract/index.ts";
import type { Outcome, Told } from "../contract/support/clients.ts";
import { toldBy } from "../contract/support/rest-client.ts";
import { runCommand } from "../support/cli.ts";

type Message = Readonly<Record<string, unknown>>;

const restNames: Readonly<Record<string, string>> = { page_size: "limit", page_token: "cursor" };
const isUlid = (value: unknown) => typeof value === "string" && /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(value);

/** The words of a command that has this request. `api`: the command of the bare method, which takes no names for ids. */
export function wordsOf(method: ContractMethod, message: Message): { words: string[]; input: string } {
  const own = surface().method(method.name)!;
  const { group, verb, args } = own.cli!;
  const { properties = {} } = surface().schema(own.request);
  const fields = Object.fromEntries(
    Object.entries(message).map(([name, value]) => [own.page ? (restNames[name] ?? name) : name, value]),
  );
  const isNamed = Object.entries(properties).some(
    ([name, { ref }]) => ref !== undefined && name in fields && !isUlid(fields[name]),
  );
  const isPlaced = !isNamed && args.every((name) => name in fields && fields[name] !== "");
  const placed = isPlaced ? args : [];
  const words = isPlaced
    ? [group, ...(verb === undefined ? [] : [verb]), ...placed.flatMap((name) => textsOf(fields[name]))]
    : ["api", method.name];
  const rest = Object.entries(fields).filter(([name]) => !placed.includes(name));
  if (own.rest!.body !== undefined && method.raw === undefined)
    return { words: [...words, "-f", "-"], input: JSON.stringify(Object.fromEntries(rest)) };
  return { words: [...words, ...rest.flatMap(([name, value]) => flagsOf(name, value))], input: "" };
}

function flagsOf(name: string, value: unknown): string[] {
  const flag = `--${name.replaceAll("_", "-")}`;
  return textsOf(value).map((text) => `${flag}=${text}`);
}

function textsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (typeof value === "object" && value !== null) return [JSON.stringify(value)];
  const text = String(value);
  return [text.startsWith("@") ? `@${text}` : text];
}

export function headerWords(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
}

/** A call by a command, with the answer in the form of the other doors. */
export async function callByCommand(
  url: string,
  method: ContractMethod,
  message: Message,
  headers: Readonly<Record<string, string>>,
  more: readonly string[] = [],
): Promise<Outcome> {
  const { words, input } = wordsOf(method, message);
  const asked = [...words, ...headerWords(headers), ...more, "-o", "json"];
  const { code, out, err } = await runCommand(asked, { SWITCHYARD_URL: url }, input);
  const none = new Map<string, string>();
  // A batch of which a part was refused has its answer and exit code 1.
  if (code === 0 || (code === 1 && err === ""))
    return { ok: true, message: answerOf(method, out), headers: none };
  const told: Told =
    code === 2 ? toldBy({ errorCode: "INVALID_ARGUMENT", detail: err }) : toldBy(JSON.parse(err));
  return { ok: false, error: told, headers: none };
}

export function answerOf(method: ContractMethod, out: string): unknown {
  if (method.mediaType !== undefined) return { text: out };
  if (method.sse !== undefined)
    return out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown);
  const data = JSON.parse(out) as unknown;
  return method.pagination === undefined ? data : { [method.pagination.itemsField]: data };
}
