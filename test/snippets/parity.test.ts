/** Every snippet, run word for word: the same data or errorCode as over REST. */
import { readFileSync } from "node:fs";
import anyTest, { type TestFn } from "ava";
import { limits } from "#base";
import { exampleOf, type Snippet, snippetsOf } from "#protos/snippets";
import type { Surface } from "#protos/surface";
import type { ContractMethod } from "../../gateway/contract/index.ts";
import { answerOf } from "../cli/door.ts";
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

function cases(declare: typeof test.serial, label: Snippet["label"], read: Read): void {
  parityCases(
    declare,
    `the snippets of ${label} have the data and the error codes of REST`,
    {
      async unary(url, method, message, headers) {
        runners ??= runnersAt(url);
        const { path, query, body } = partsOf(method, { ...message });
        const request = { ...path, ...query, ...body };
        const source = sourceOf(snippetsOf(surface, methods.get(method.name)!, request, { headers }), label);
        return read(method, runners, source);
      },
      async stream(_url, { name }) {
        throw new Error(`${name} is a stream`);
      },
    },
    "external",
    ({ method }) => methods.get(method)?.kind === "unary",
  );
}

cases(needing(test.serial, "curl") as typeof test.serial, "curl", async (method, { shell }, source) => {
  const out = await shell(source);
  if (method.mediaType !== undefined && !out.startsWith("{"))
    return { ok: true, message: { text: out }, headers: none };
  const answer = parsed<{ data?: unknown; errorCode?: string }>(out, source);
  if (answer.errorCode !== undefined) return { ok: false, error: toldBy(answer), headers: none };
  const data = method.envelope === "none" ? answer : answer.data;
  return { ok: true, message: answerOf(method, JSON.stringify(data)), headers: none };
});

cases(needing(test.serial, "curl") as typeof test.serial, "service", async (method, { shell }, source) => {
  const { code, out, err } = parsed<Commanded>(await shell(source), source);
  // A batch of which a part was refused has its answer and exit code 1; verdicts begin at 10.
  if (code === 0 || code >= 10 || (code === 1 && err === ""))
    return { ok: true, message: answerOf(method, out), headers: none };
  const told = code === 2 ? { errorCode: "INVALID_ARGUMENT", detail: err } : parsed<object>(err, source);
  return { ok: false, error: toldBy({ ...told }), headers: none };
});

cases(test.serial, "TypeScript", async (method, { typescript }, source) =>
  loggedOf(method, await typescript(source), source),
);

cases(needing(test.serial, "python") as typeof test.serial, "Python", async (method, { python }, source) =>
  loggedOf(method, await python(source), source),
);

/** A program that reads a list to its end has logged its items, and REST has answered with the first page. */
function loggedOf(method: ContractMethod, { logged, error }: Logged, source: string): Outcome {
  if (error !== undefined) {
    if (!/^[A-Z_]+$/.test(error.code)) throw new Error(`${error.detail}\n${source}`);
    return { ok: false, error: toldBy({ errorCode: error.code, detail: error.detail }), headers: none };
  }
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
