/** Every method by its command, and by the line of curl that the command shows: the same data or errorCode as over REST. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import anyTest, { type TestFn } from "ava";
import type { ContractMethod } from "../../gateway/contract/index.ts";
import { casesByArea } from "../contract/cases/index.ts";
import type { Outcome } from "../contract/support/clients.ts";
import {
  namedMethods,
  type ParityContext,
  parityCases,
  withParityService,
} from "../contract/support/parity.ts";
import { runCommand } from "../support/cli.ts";
import { needing } from "../support/needing.ts";
import { answerOf, callByCommand, headerWords, wordsOf } from "./door.ts";

const test = anyTest as TestFn<ParityContext>;
withParityService(test);

test("every method that has a command has a case that succeeds and one that is refused", (t) => {
  const cases = Object.values(casesByArea).flat();
  for (const { id } of namedMethods) {
    const own = cases.filter(({ method }) => method === id);
    t.true(
      own.some(({ refused }) => refused === undefined),
      `${id} has no good case`,
    );
    t.true(
      own.some(({ refused }) => refused !== undefined),
      `${id} has no bad case`,
    );
  }
});

// One after the other: a suite of conformance, for one, runs once at a time.
parityCases(test.serial, "commands have the data and the error codes of REST", callByCommand);
parityCases(
  needing(test.serial, "curl"),
  "the lines of --curl have the data of REST",
  callByCurl,
  ({ refused }) => refused === undefined,
);

const execute = promisify(execFile);

async function callByCurl(
  url: string,
  method: ContractMethod,
  request: Readonly<Record<string, unknown>>,
  headers: Record<string, string>,
): Promise<Outcome> {
  const { words, input } = wordsOf(method, request);
  const { out, err } = await runCommand(
    [...words, ...headerWords(headers), "--curl"],
    { SWITCHYARD_URL: url },
    input,
  );
  const { authorization = "", "x-api-key": key = "" } = headers;
  const env = {
    ...process.env,
    SWITCHYARD_API_KEY: key,
    SWITCHYARD_TOKEN: authorization.replace("Bearer ", ""),
  };
  const { stdout } = await execute("sh", ["-c", out], { env });
  const answer = (method.mediaType === undefined ? JSON.parse(stdout) : {}) as { data?: unknown };
  const data = method.envelope === "none" ? answer : answer.data;
  if (data === undefined) throw new Error(`${out}${err}${stdout}`);
  return { ok: true, message: answerOf(method, JSON.stringify(data)), headers: new Map() };
}
