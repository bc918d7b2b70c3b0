import { surface } from "../../cli/client/surface.ts";
import { commands } from "../../cli/commands.ts";
import type { ContractMethod } from "../../gateway/contract/index.ts";
import type { Outcome } from "../contract/support/clients.ts";
import type { ParityClient } from "../contract/support/parity.ts";
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
  const isByHand = commands.some(({ words }) => words === `${group} ${verb}` && words !== "items enqueue");
  const isPlaced = !isNamed && !isByHand && args.every((name) => name in fields && fields[name] !== "");
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

type Where = (url: string) => {
  readonly words: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
};

const byUrl: Where = (url) => ({ words: [], environment: { SWITCHYARD_URL: url } });

/** Calls by commands, with their answers in the form of the other doors. */
export function commandClient(where: Where = byUrl): Pick<ParityClient, "unary" | "stream"> {
  async function run(url: string, asked: readonly string[], input: string): Promise<string | Outcome> {
    const { words, environment } = where(url);
    const { code, out, err } = await runCommand([...asked, ...words, "-o", "json"], environment, input);
    // A batch of which a part was refused has its answer and exit code 1; verdicts begin at 10.
    if (code === 0 || code >= 10 || (code === 1 && err === "")) return out;
    const told =
      code === 2 ? toldBy({ errorCode: "INVALID_ARGUMENT", detail: err }) : toldBy(JSON.parse(err));
    return { ok: false, error: told, headers: none };
  }
  return {
    async unary(url, method, message, headers) {
      const { words, input } = wordsOf(method, message);
      const out = await run(url, [...words, ...headerWords(headers)], input);
      return typeof out === "string" ? { ok: true, message: answerOf(method, out), headers: none } : out;
    },
    async stream(url, method, messages, { headers, take }) {
      const { words, input } = streamWordsOf(method, messages);
      const taking = take === undefined ? [] : ["--take", String(take)];
      const out = await run(url, [...words, ...headerWords(headers), ...taking], input);
      return typeof out === "string" ? { ok: true, message: answersOf(method, out), headers: none } : out;
    },
  };
}

const none = new Map<string, string>();

/** A conversation is lines of standard input; the pieces of an upload are one value. */
export function streamWordsOf(
  method: ContractMethod,
  messages: readonly Message[],
): { words: string[]; input: string } {
  if (method.kind === "bidi_streaming")
    return { words: ["api", method.name], input: messages.map((one) => `${JSON.stringify(one)}\n`).join("") };
  const [first = {}, ...pieces] = messages;
  const bytes = Buffer.concat(pieces.map(({ data }) => Buffer.from(String(data), "base64")));
  return wordsOf(method, pieces.length === 0 ? first : { ...first, data: bytes.toString("base64") });
}

function answersOf({ kind, raw }: ContractMethod, out: string): readonly unknown[] {
  if (kind === "client_streaming") return [JSON.parse(out)];
  if (raw !== undefined) return [{ data: Buffer.from(out, "latin1").toString("base64") }];
  return out
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as unknown);
}

export function answerOf(method: ContractMethod, out: string): unknown {
  if (method.mediaType !== undefined) return { text: out };
  const data = JSON.parse(out) as unknown;
  return method.pagination === undefined ? data : { [method.pagination.itemsField]: data };
}

/** What came by server-sent events: a message for each block that is whole. */
export function messagesIn({ name }: ContractMethod, text: string): readonly unknown[] {
  return text
    .split("\n\n")
    .slice(0, -1)
    .flatMap((block) => {
      const [, event, data] = /^event: (.*)\n(?:.*\n)*?data: (.*)$/m.exec(block) ?? [];
      if (event === undefined) return [];
      const [, cursor] = /^id: (.*)$/m.exec(block) ?? [];
      return [messageOf(name, { event, id: cursor, data: JSON.parse(data!) })];
    });
}

/** An event as the message that it is for the other doors. */
export function messageOf(
  method: string,
  { event, id, data }: { readonly event: string; readonly id?: string | undefined; readonly data: unknown },
): unknown {
  return method === "EventService.Subscribe" ? { cursor: id, event: data } : { [event]: data };
}
