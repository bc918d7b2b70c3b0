import { errorOf, isObject } from "./errors.ts";
import type { Answer, Bytes } from "./fetch.ts";
import { type Following, follow } from "./follow.ts";
import { type List, listOf, type Page } from "./pages.ts";
import type { CallOptions, Outgoing, Repeat, Transport } from "./transport.ts";

type Request = Readonly<Record<string, unknown>>;

/** One line of the table. */
export interface Method {
  /** `pools.create`, or a single word. */
  readonly name: string;
  readonly verb: string;
  readonly path: string;
  readonly repeat: Repeat;
  /** What differs from most: `list`, `raw`, `text`, `bare`, `events`. */
  readonly words: ReadonlySet<string>;
  readonly last: string | undefined;
  /** Where a message has what an event says and its id; without it one member is named as the event is. */
  readonly members?: { readonly data: string; readonly id: string } | undefined;
  readonly wait: { readonly field: string; readonly ms: number } | undefined;
}

export function methodsOf(table: string): readonly Method[] {
  return table.trim().split("\n").map(methodOf);
}

function methodOf(line: string): Method {
  const [name = "", verb = "", path = "", repeat, ...words] = line.split(" ");
  const optionOf = (key: string) => words.find((word) => word.startsWith(`${key}=`))?.slice(key.length + 1);
  const data = optionOf("data");
  const [field = "", ms] = optionOf("wait")?.split("*") ?? [];
  return {
    name,
    verb,
    path,
    repeat: repeat === "read" || repeat === "key" || repeat === "token" ? repeat : "none",
    words: new Set(words),
    last: optionOf("last"),
    members: data === undefined ? undefined : { data, id: optionOf("id") ?? "" },
    wait: ms === undefined ? undefined : { field, ms: Number(ms) },
  };
}

/** A function for each method, those of a group in a module of their own. */
export function modulesOver(transport: Transport, methods: readonly Method[]): Record<string, unknown> {
  const modules: Record<string, unknown> = {};
  for (const method of methods) {
    const call = (request: Request = {}, options: CallOptions = {}) =>
      invoke(transport, method, request, options);
    const [group = "", verb] = method.name.split(".");
    if (verb === undefined) modules[group] = call;
    else modules[group] = { ...(isObject(modules[group]) && modules[group]), [verb]: call };
  }
  return modules;
}

function invoke(transport: Transport, method: Method, request: Request, options: CallOptions): unknown {
  const { words } = method;
  if (words.has("events")) return eventsOf(transport, method, request, options);
  if (words.has("list")) return listed(transport, method, request, options);
  return answered(transport, method, request, options);
}

export function listed(
  transport: Transport,
  method: Method,
  request: Request,
  options: CallOptions,
): List<unknown> {
  return listOf(request, (asked) => transport.send(outgoing(method, asked), options, pageOf));
}

/** `data` of the answer; the bytes or the text where it is no JSON. */
export function answered(
  transport: Transport,
  method: Method,
  request: Request,
  options: CallOptions,
): Promise<unknown> {
  return transport.send(outgoing(method, request), options, (answer) => contentOf(method, answer));
}

async function contentOf({ words, verb }: Method, answer: Answer): Promise<unknown> {
  if (words.has("raw") && verb === "GET") return new Uint8Array(await answer.arrayBuffer());
  if (words.has("text")) return answer.text();
  const body: unknown = await answer.json();
  return words.has("bare") || !isObject(body) ? body : body.data;
}

async function pageOf(answer: Answer): Promise<Page<unknown>> {
  const body: unknown = await answer.json();
  if (!isObject(body) || !Array.isArray(body.data))
    throw errorOf({ detail: "the answer is no page of a list" });
  const { data, next_cursor: next, total } = body;
  return {
    ...body,
    data,
    next_cursor: typeof next === "string" ? next : null,
    total: typeof total === "number" ? total : null,
  };
}

/** Each event as the message of the stream: `{record: …}`, or `{cursor: …, event: …}`. */
export async function* eventsOf(
  transport: Transport,
  method: Method,
  request: Request,
  { signal, headers, onLost }: Pick<Following, "signal" | "headers" | "onLost">,
): AsyncGenerator<unknown> {
  const { path } = outgoing(method, request);
  const { last, members } = method;
  for await (const { event, data, id } of follow(transport, { path, last, signal, headers, onLost })) {
    const value: unknown = JSON.parse(data);
    yield members === undefined ? { [event]: value } : { [members.id]: id, [members.data]: value };
  }
}

/** The request as HTTP: variables of the path, then the body or the query. */
export function outgoing({ verb, path, repeat, words, wait }: Method, request: Request): Outgoing {
  const rest: Record<string, unknown> = { ...request };
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name];
    if (value === undefined || /^\.{0,2}$/.test(String(value)))
      throw new TypeError(`${name} is missing, "." or "..", and is part of the address`);
    delete rest[name];
    return encodeURIComponent(String(value));
  });
  const waitMs =
    wait === undefined ? undefined : wait.field === "" ? wait.ms : Number(rest[wait.field] ?? 0) * wait.ms;
  const sent = { verb, repeat, ...(waitMs !== undefined && { waitMs }) };
  if (words.has("raw") && verb === "PUT") {
    if (!isBytes(rest.data)) throw new TypeError("data is missing: the bytes, as Uint8Array, Blob or text");
    return {
      ...sent,
      path: filled,
      body: rest.data,
      headers: { "content-type": "application/octet-stream" },
    };
  }
  if (verb === "GET" || verb === "DELETE") return { ...sent, path: filled + queryOf(rest) };
  return {
    ...sent,
    path: filled,
    body: JSON.stringify(rest),
    headers: { "content-type": "application/json" },
  };
}

function isBytes(value: unknown): value is Bytes {
  return value instanceof Uint8Array || value instanceof Blob || typeof value === "string";
}

function queryOf(fields: Request): string {
  const query = new URLSearchParams();
  const add = (name: string, value: unknown): void => {
    if (value === undefined || value === null) return;
    if (Array.isArray(value)) for (const one of value) add(name, one);
    else if (value instanceof Date) query.append(name, value.toISOString());
    else if (isObject(value)) for (const [key, inner] of Object.entries(value)) add(`${name}.${key}`, inner);
    else query.append(name, String(value));
  };
  for (const [name, value] of Object.entries(fields)) add(name, value);
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}
