/** Every snippet, run word for word: the same data or errorCode as over REST. */
import { readFileSync } from "node:fs";
import anyTest, { type TestFn } from "ava";
import { limits } from "#base";
import { exampleOf, type Snippet, snippetsOf } from "#protos/snippets";
import type { Surface } from "#protos/surface";
import type { ContractMethod } from "../../gateway/contract/index.ts";
import { answerOf, messageOf, messagesIn } from "../cli/door.ts";
import type { Outcome } from "../contract/support/clients.ts";
import { type ParityContext, parityCases, withParityService } from "../contract/support/parity.ts";
import { partsOf, toldBy } from "../contract/support/rest-client.ts";
import { needing } from "../support/needing.ts";
import { type Commanded, type Logged, type Runners, runnersAt, sourceOf } from "./runners.ts";

const test = anyTest as TestFn<ParityContext>;
const surface: Surface = JSON.parse(
  readFileSync(new URL("../../protos/gen/surface.json", import.meta.url), "utf8"),
);
const methods = new Map(surface.methods.map((method) => [method.id, method]));
/** Methods that clients call by a name. */
const named = surface.methods.filter(({ plane, cli }) => plane === "external" && cli !== undefined);
const none = new Map<string, string>();

withParityService(test);
let runners: Runners | undefined;
test.after.always(() => runners?.end());

test("every method that clients call has an example, and a snippet of each kind", (t) => {
  for (const method of named) {
    const { id } = method;
    const { request, headers } = exampleOf(surface, method);
    const labels = snippetsOf(surface, method, request, { headers }).map(({ label }) => label);
    t.deepEqual(labels, ["curl", "service", "TypeScript", "Python"], id);
  }
});

type Read = (method: ContractMethod, runners: Runners, source: string) => Promise<Outcome>;
/** What a stream has sent, its first `take` messages where there are so many; of an object its bytes. */
type Listen = (method: ContractMethod, runners: Runners, source: string, take?: number) => Promise<Outcome>;

function cases(
  declare: typeof test.serial,
  label: Snippet["label"],
  { read, listen }: { readonly read: Read; readonly listen: Listen },
): void {
  const snippetOf = (
    method: ContractMethod,
    message: Readonly<Record<string, unknown>>,
    headers: Readonly<Record<string, string>>,
  ) => {
    const { path, query, body } = partsOf(method, { ...message });
    const request = { ...path, ...query, ...body };
    return sourceOf(snippetsOf(surface, methods.get(method.name)!, request, { headers }), label);
  };
  parityCases(
    declare,
    `the snippets of ${label} have the data and the error codes of REST`,
    {
      async unary(url, method, message, headers) {
        runners ??= runnersAt(url);
        return read(method, runners, snippetOf(method, message, headers));
      },
      async stream(url, method, [first = {}, ...pieces], { headers, take }) {
        runners ??= runnersAt(url);
        const bytes = Buffer.concat(pieces.map(({ data }) => Buffer.from(String(data), "base64")));
        const message = pieces.length === 0 ? first : { ...first, data: bytes.toString("base64") };
        const source = snippetOf(method, message, headers);
        if (method.kind === "server_streaming") return listen(method, runners, source, take);
        const outcome = await read(method, runners, source);
        return outcome.ok ? { ...outcome, message: [outcome.message] } : outcome;
      },
    },
    "external",
    ({ method }) => named.some(({ id }) => id === method),
  );
}

const inShell = needing(test.serial, "curl") as typeof test.serial;

cases(inShell, "curl", {
  async read(method, { shell }, source) {
    const out = await shell(source);
    if (method.mediaType !== undefined && !out.startsWith("{"))
      return { ok: true, message: { text: out }, headers: none };
    const answer = parsed<{ data?: unknown; errorCode?: string }>(out, source);
    if (answer.errorCode !== undefined) return refused(answer);
    const data = method.envelope === "none" ? answer : answer.data;
    return { ok: true, message: answerOf(method, JSON.stringify(data)), headers: none };
  },
  async listen(method, { follow }, source, take = Number.POSITIVE_INFINITY) {
    const shown = method.raw === undefined ? source : `${source} | base64`;
    const { out } = await follow(shown, (text) => messagesIn(method, text).length >= take);
    const bytes = method.raw === undefined ? Buffer.from(out) : Buffer.from(out, "base64");
    if (bytes.indexOf('{"') === 0) return refused(parsed<object>(String(bytes), source));
    if (method.raw !== undefined) return bytesOf(bytes);
    return { ok: true, message: messagesIn(method, out).slice(0, take), headers: none };
  },
});

cases(inShell, "service", {
  async read(method, { shell }, source) {
    const { code, out, err } = parsed<Commanded>(await shell(source), source);
    // A batch of which a part was refused has its answer and exit code 1; verdicts begin at 10.
    if (code === 0 || code >= 10 || (code === 1 && err === ""))
      return { ok: true, message: answerOf(method, out), headers: none };
    return refusedWith(code, err, source);
  },
  async listen(method, { follow }, source, take = Number.POSITIVE_INFINITY) {
    const shown = method.raw === undefined ? source : `${source}\nbase64 object`;
    const { code, out, err } = await follow(shown, (text) => text.split("\n").length > take);
    if (err !== "") return refusedWith(code, err, source);
    if (method.raw !== undefined) return bytesOf(Buffer.from(out, "base64"));
    const lines = out.split("\n").slice(0, -1).slice(0, take);
    return { ok: true, message: lines.map((line) => parsed<unknown>(line, source)), headers: none };
  },
});

cases(test.serial, "TypeScript", {
  read: async (method, { typescript }, source) => loggedOf(method, await typescript(source), source),
  listen: async (method, { typescript }, source, take) =>
    heardOf(method, await typescript(source, take), source),
});

cases(needing(test.serial, "python") as typeof test.serial, "Python", {
  read: async (method, { python }, source) => loggedOf(method, await python(source), source),
  async listen(method, { python }, source, take) {
    const { logged, ...rest } = await python(source, take);
    const messages = logged.map((one) =>
      method.raw === undefined ? messageOf(method.name, one as Parameters<typeof messageOf>[1]) : one,
    );
    return heardOf(method, { logged: messages, ...rest }, source);
  },
});

/** What a program has logged of a stream: its messages, or in base64 the bytes of an object. */
function heardOf({ raw }: ContractMethod, { logged, error }: Logged, source: string): Outcome {
  if (error !== undefined) return refusedBy(error, source);
  if (raw !== undefined) return bytesOf(Buffer.from(String(logged[0]), "base64"));
  return { ok: true, message: logged, headers: none };
}

function bytesOf(bytes: Buffer): Outcome {
  return { ok: true, message: [{ data: bytes.toString("base64") }], headers: none };
}

function refused(problem: object): Outcome {
  return { ok: false, error: toldBy({ ...problem }), headers: none };
}

/** What a command has said. */
function refusedWith(code: number, err: string, source: string): Outcome {
  return refused(code === 2 ? { errorCode: "INVALID_ARGUMENT", detail: err } : parsed<object>(err, source));
}

function refusedBy({ code, detail }: NonNullable<Logged["error"]>, source: string): Outcome {
  if (!/^[A-Z_]+$/.test(code)) throw new Error(`${detail}\n${source}`);
  return refused({ errorCode: code, detail });
}

/** A program that reads a list to its end has logged its items, and REST has answered with the first page. */
function loggedOf(method: ContractMethod, { logged, error }: Logged, source: string): Outcome {
  if (error !== undefined) return refusedBy(error, source);
  const { pagination } = method;
  if (pagination === undefined) return { ok: true, message: logged[0], headers: none };
  const items = source.includes(".page()") ? logged[0] : logged.slice(0, limits.pageSizeDefault);
  return { ok: true, message: { [pagination.itemsField]: items }, headers: none };
}

function parsed<T>(text: string, source: string): T {
  try {
    return JSON.parse(text) as T;
  } catch {
    throw new Error(`${text}\n${source}`);
  }
}
