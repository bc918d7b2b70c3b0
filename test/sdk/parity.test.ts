/** Every method by both client libraries: the same data or error code as over REST. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import anyTest, { type TestFn } from "ava";
import { Switchyard, SwitchyardError } from "#sdk";
import { surface } from "../../cli/client/surface.ts";
import type { ContractMethod } from "../../gateway/contract/index.ts";
import type { Outcome } from "../contract/support/clients.ts";
import {
  type ClientCall,
  type ParityContext,
  parityCases,
  withParityService,
} from "../contract/support/parity.ts";
import { partsOf, toldBy } from "../contract/support/rest-client.ts";
import { casesNeeding } from "../support/needing.ts";
import { pythonPath } from "../support/parts.ts";

const test = anyTest as TestFn<ParityContext>;
const none = new Map<string, string>();
withParityService(test);

// Cases of one area have names of their own, but not twice at once.
parityCases(test.serial, "the TypeScript client has the data and the error codes of REST", callByTypescript);

casesNeeding("parity of the Python client", ["python"], () => {
  const python = startPython();
  test.after.always(() => python.end());
  parityCases(test.serial, "the Python client has the data and the error codes of REST", python.call);
});

async function callByTypescript(
  ...[url, method, message, headers]: Parameters<ClientCall>
): Promise<Outcome> {
  const client = new Switchyard({ url, retries: 0 });
  const { group, verb } = surface().method(method.name)!.cli!;
  const module: unknown = verb === undefined ? client : Reflect.get(client, camel(group));
  const call = Reflect.get(module as object, camel(verb ?? group)) as (...given: unknown[]) => unknown;
  try {
    const answer = call.call(module, requestOf(method, message), { headers });
    const data = isList(answer) ? (await answer.page()).data : await answer;
    return answered(method, data);
  } catch (error) {
    if (!(error instanceof SwitchyardError)) throw error;
    return { ok: false, error: toldBy({ errorCode: error.code, detail: error.detail }), headers: none };
  }
}

/** The fields of a message under the names that REST has for them. */
function requestOf(method: ContractMethod, message: Readonly<Record<string, unknown>>): object {
  const { path, query, body } = partsOf(method, { ...message });
  return { ...path, ...query, ...body };
}

function answered(method: ContractMethod, data: unknown): Outcome {
  const message = method.pagination === undefined ? data : { [method.pagination.itemsField]: data };
  return { ok: true, message, headers: none };
}

function isList(answer: unknown): answer is { page(): Promise<{ data: unknown }> } {
  return typeof answer === "object" && answer !== null && "page" in answer;
}

/** One process for all calls: a line in, a line out. */
function startPython(): { readonly call: ClientCall; end(): void } {
  const folder = fileURLToPath(new URL("../../sdk-python", import.meta.url));
  const child = spawn(pythonPath()!, ["-m", "tests.door"], {
    cwd: folder,
    env: { ...process.env, PYTHONPATH: "src" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const waiting: ((line: string) => void)[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => waiting.shift()!(line));
  return {
    async call(url, method, message, headers) {
      const { group, verb } = surface().method(method.name)!.cli!;
      const words = verb === undefined ? [group] : [group, verb];
      const line = new Promise<string>((resolve) => waiting.push(resolve));
      child.stdin.write(`${JSON.stringify({ url, words, request: requestOf(method, message), headers })}\n`);
      const { data, error } = JSON.parse(await line) as {
        data?: unknown;
        error?: { code: string; detail: string };
      };
      if (error === undefined) return answered(method, data);
      return { ok: false, error: toldBy({ errorCode: error.code, detail: error.detail }), headers: none };
    },
    end: () => child.stdin.end(),
  };
}

function camel(words: string): string {
  return words.replaceAll(/-(.)/g, (_match, letter: string) => letter.toUpperCase());
}
