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
  lackingCases,
  type ParityClient,
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
const byTypescript: ParityClient = { unary: callByTypescript, stream: streamByTypescript };
parityCases(test.serial, "the TypeScript client has the data and the error codes of REST", byTypescript);

casesNeeding("parity of the Python client", ["python"], () => {
  const python = startPython();
  test.after.always(() => python.end());
  parityCases(test.serial, "the Python client has the data and the error codes of REST", python);
});

/** What the cases of a method are is looked at beside the commands. */
test("both clients have a way to every method", (t) => {
  const noCase = lackingCases("external", {}).filter((line) => !line.endsWith("comes to its end"));
  t.deepEqual(noCase, []);
});

async function callByTypescript(
  ...[url, method, message, headers]: Parameters<ParityClient["unary"]>
): Promise<Outcome> {
  try {
    const answer = calledByTypescript(url, method, requestOf(method, message), headers);
    const data = isList(answer) ? (await answer.page()).data : await answer;
    return answered(method, data);
  } catch (error) {
    return refusedBy(error);
  }
}

function calledByTypescript(
  url: string,
  method: ContractMethod,
  request: object,
  headers: Readonly<Record<string, string>>,
): unknown {
  const client = new Switchyard({ url, retries: 0 });
  const { group, verb } = surface().method(method.name)!.cli!;
  const module: unknown = verb === undefined ? client : Reflect.get(client, camel(group));
  const call = Reflect.get(module as object, camel(verb ?? group)) as (...given: unknown[]) => unknown;
  return call.call(module, request, { headers });
}

async function streamByTypescript(
  ...[url, method, messages, { headers, take = Number.POSITIVE_INFINITY }]: Parameters<ParityClient["stream"]>
): Promise<Outcome> {
  if (method.kind === "bidi_streaming") return converseByTypescript(url, method, messages, { headers, take });
  const [first = {}, ...pieces] = messages;
  try {
    if (method.kind === "client_streaming") {
      const data = Buffer.concat(pieces.map((piece) => Buffer.from(String(piece.data), "base64")));
      const answer = await calledByTypescript(url, method, { ...first, data }, headers);
      return { ok: true, message: [answer], headers: none };
    }
    const answer = calledByTypescript(url, method, requestOf(method, first), headers);
    if (method.raw !== undefined) {
      const data = Buffer.from((await answer) as Uint8Array).toString("base64");
      return { ok: true, message: [{ data }], headers: none };
    }
    const answers: unknown[] = [];
    for await (const one of answer as AsyncIterable<unknown>) if (answers.push(one) >= take) break;
    return { ok: true, message: answers, headers: none };
  } catch (error) {
    return refusedBy(error);
  }
}

function converseByTypescript(
  url: string,
  { name }: ContractMethod,
  messages: readonly object[],
  { headers, take }: { readonly headers: Record<string, string>; readonly take: number },
): Promise<Outcome> {
  const answers: unknown[] = [];
  return new Promise((resolve) => {
    const socket = new Switchyard({ url }).open(
      name.replace(".", "/") as "QueueService/Work",
      {
        message: (answer) => {
          if (answers.push(answer) >= take) socket.close();
        },
        closed: (error) =>
          resolve(error === undefined ? { ok: true, message: answers, headers: none } : refusedBy(error)),
      },
      { headers },
    );
    for (const message of messages) socket.send(JSON.stringify(message));
    if (take === Number.POSITIVE_INFINITY) socket.end();
  });
}

function refusedBy(error: unknown): Outcome {
  if (!(error instanceof SwitchyardError)) throw error;
  return { ok: false, error: toldBy({ errorCode: error.code, detail: error.detail }), headers: none };
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
function startPython(): ParityClient & { end(): void } {
  const folder = fileURLToPath(new URL("../../sdk-python", import.meta.url));
  const child = spawn(pythonPath()!, ["-m", "tests.door"], {
    cwd: folder,
    env: { ...process.env, PYTHONPATH: "src" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const waiting: ((line: string) => void)[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => waiting.shift()!(line));

  async function ask(asked: object, answered: (data: unknown) => Outcome): Promise<Outcome> {
    const line = new Promise<string>((resolve) => waiting.push(resolve));
    child.stdin.write(`${JSON.stringify(asked)}\n`);
    const { data, error } = JSON.parse(await line) as {
      data?: unknown;
      error?: { code: string; detail: string };
    };
    if (error === undefined) return answered(data);
    return { ok: false, error: toldBy({ errorCode: error.code, detail: error.detail }), headers: none };
  }

  function wordsOf({ name }: ContractMethod): readonly string[] {
    const { group, verb } = surface().method(name)!.cli ?? {};
    return [group, verb].filter((word) => word !== undefined);
  }

  return {
    unary: (url, method, message, headers) =>
      ask({ url, words: wordsOf(method), request: requestOf(method, message), headers }, (data) =>
        answered(method, data),
      ),
    stream(url, method, messages, { headers, take }) {
      const { kind, raw, name } = method;
      const [first = {}, ...pieces] = messages;
      const data = pieces.map((piece) => piece.data).join("");
      const how =
        kind === "bidi_streaming"
          ? { open: name.replace(".", "/"), messages }
          : kind === "client_streaming"
            ? { words: wordsOf(method), request: first, data }
            : { words: wordsOf(method), request: requestOf(method, first), events: raw === undefined };
      return ask({ url, headers, take, ...how }, (said) => ({
        ok: true,
        message: raw === undefined ? said : [kind === "client_streaming" ? said : { data: said }],
        headers: none,
      }));
    },
    end: () => child.stdin.end(),
  };
}

function camel(words: string): string {
  return words.replaceAll(/-(.)/g, (_match, letter: string) => letter.toUpperCase());
}
