/** Every method by its command, and by the line of curl that the command shows: the same data or errorCode as over REST. */
import { execFile, spawn } from "node:child_process";
import { promisify } from "node:util";
import anyTest, { type TestFn } from "ava";
import type { ContractMethod } from "../../gateway/contract/index.ts";
import {
  lackingCases,
  methodsOf,
  type ParityClient,
  type ParityContext,
  parityCases,
  withParityService,
} from "../contract/support/parity.ts";
import { runCommand } from "../support/cli.ts";
import { needing } from "../support/needing.ts";
import { answerOf, commandClient, headerWords, messagesIn, streamWordsOf, wordsOf } from "./door.ts";

const test = anyTest as TestFn<ParityContext>;
withParityService(test);

const conversations = methodsOf("external").filter(({ kind }) => kind === "bidi_streaming");

/** Of these the caller leaves. */
const endless = {
  "EventService.Subscribe": "there is always a next event",
  "InboxService.WatchInbox": "an inbox has no last message",
  "LiveService.WatchPools": "pools go on",
};

const byCommand: ParityClient = commandClient();
const byCurl: ParityClient = {
  unary: unaryByCurl,
  stream: streamByCurl,
  without: Object.fromEntries(conversations.map(({ name }) => [name, "curl holds no conversation"])),
};

test("every method has a command, a case that succeeds, one that is refused, and a stream one that comes to its end", (t) => {
  t.deepEqual(lackingCases("external", byCommand, endless), []);
  t.deepEqual(lackingCases("external", byCurl, endless), []);
});

test("given a method without a case or a reason, then it is named", (t) => {
  const [method] = conversations;
  t.true(lackingCases("external", { without: { "PoolService.Nothing": "gone" } }, endless).length === 1);
  t.deepEqual(lackingCases("external", {}, {}), [
    "EventService.Subscribe: no case that comes to its end",
    "InboxService.WatchInbox: no case that comes to its end",
    "LiveService.WatchPools: no case that comes to its end",
  ]);
  t.truthy(method);
});

// One after the other: a suite of conformance, for one, runs once at a time.
parityCases(test.serial, "commands have the data and the error codes of REST", byCommand);
parityCases(
  needing(test.serial, "curl"),
  "the lines of --curl have the data of REST",
  byCurl,
  "external",
  ({ refused }) => refused === undefined,
);

const execute = promisify(execFile);

/** The line, and the variables that it names. */
async function curlLine(
  url: string,
  { words, input }: { readonly words: readonly string[]; readonly input: string },
  headers: Readonly<Record<string, string>>,
) {
  const asked = [...words, ...headerWords(headers), "--curl"];
  const { out, err } = await runCommand(asked, { SWITCHYARD_URL: url }, input);
  if (out === "") throw new Error(err);
  const { authorization = "", "x-api-key": key = "" } = headers;
  const token = authorization.replace("Bearer ", "");
  return { line: out, env: { ...process.env, SWITCHYARD_API_KEY: key, SWITCHYARD_TOKEN: token } };
}

async function unaryByCurl(...[url, method, request, headers]: Parameters<ParityClient["unary"]>) {
  const { line, env } = await curlLine(url, wordsOf(method, request), headers);
  const { stdout } = await execute("sh", ["-c", line], { env });
  const answer = (method.mediaType === undefined ? JSON.parse(stdout) : {}) as { data?: unknown };
  const data = method.envelope === "none" ? answer : answer.data;
  if (data === undefined) throw new Error(`${line}${stdout}`);
  return { ok: true, message: answerOf(method, JSON.stringify(data)), headers: new Map() } as const;
}

async function streamByCurl(...[url, method, messages, options]: Parameters<ParityClient["stream"]>) {
  const { line, env } = await curlLine(url, streamWordsOf(method, messages), options.headers);
  const message = await answersOf(method, line, env, options.take);
  return { ok: true, message, headers: new Map() } as const;
}

async function answersOf(
  method: ContractMethod,
  line: string,
  env: NodeJS.ProcessEnv,
  take = Number.POSITIVE_INFINITY,
): Promise<readonly unknown[]> {
  const { kind, raw } = method;
  if (raw !== undefined) {
    const { stdout } = await execute("sh", ["-c", line], { env, encoding: "buffer" });
    if (kind === "client_streaming") return [(JSON.parse(stdout.toString()) as { data: unknown }).data];
    return [{ data: stdout.toString("base64") }];
  }
  const child = spawn("sh", ["-c", `exec ${line}`], { env, stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  for await (const part of child.stdout.setEncoding("utf8")) {
    text += part;
    if (messagesIn(method, text).length >= take) break;
  }
  child.kill();
  return messagesIn(method, text).slice(0, take);
}
