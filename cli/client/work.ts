import { spawn } from "node:child_process";
import { type HandlerContext, PermanentError, type QueueItem, Reject, Release, Switchyard } from "#sdk";
import type { Given } from "../command.ts";
import { exitCodes, misunderstood } from "../error.ts";
import type { Terminal } from "../terminal.ts";
import { Client } from "./client.ts";
import { told } from "./server.ts";
import { textOf } from "./settings.ts";

/** `service work POOL -- COMMAND`: runs the command for each item, with its payload as standard input. */
export async function work(given: Given, terminal: Terminal): Promise<number> {
  const [pool = "", program, ...args] = given.args;
  if (program === undefined) throw misunderstood("work POOL -- COMMAND: which command?");
  const client = await Client.of(given, terminal);
  const { id } = await client.call<{ id: string }>("PoolService.GetPool", { pool_id: pool });
  const { recipient, concurrency = "1", items } = given.flags;
  const name = textOf(recipient);
  let left = items === undefined ? Number.POSITIVE_INFINITY : countOf("items", items);
  const handle = (item: QueueItem, context: HandlerContext) => {
    if (--left === 0) void worker.stop();
    if (left < 0) throw new Release("enough items");
    return run([program, ...args], item, context);
  };
  const worker = new Switchyard({}, client.server.transport).worker(id, handle, {
    concurrency: countOf("concurrency", concurrency),
    ...(name !== undefined && { recipient: name }),
    onError: (error, item) =>
      terminal.err(`service: ${item === undefined ? "" : `${item.id}: `}${error.message}\n`),
  });
  terminal.err(`service: takes items of ${pool}; ends with Ctrl-C or SIGTERM\n`);
  await worker.done.catch((error: unknown) => {
    throw told(error, client.server);
  });
  return exitCodes.done;
}

function countOf(flag: string, given: unknown): number {
  const count = Number(given);
  if (!Number.isInteger(count) || count < 1 || count > 1_000)
    throw misunderstood(`--${flag} ${given} is not a number from 1 to 1000`);
  return count;
}

/** What exit codes of the command say, as `sysexits.h` has them. */
const rejectCode = 65;
const releaseCode = 75;
const errorLengthMax = 512;
/** One more than a result may have: what is longer is refused as too large, however long it is. */
const resultLengthMax = 256 * 1_024 + 1;

async function run(
  [program = "", ...args]: readonly string[],
  item: QueueItem,
  context: HandlerContext,
): Promise<unknown> {
  const child = spawn(program, args, { env: { ...process.env, ...variablesOf(item) }, stdio: "pipe" });
  const stop = () => child.kill("SIGTERM");
  context.signal.addEventListener("abort", stop);
  const said = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    said.out = (said.out + part).slice(0, resultLengthMax);
  });
  child.stderr.setEncoding("utf8").on("data", (part: string) => {
    said.err = (said.err + part).slice(-2 * errorLengthMax);
  });
  // A command that reads nothing of its input may have ended before all of it was written.
  child.stdin.on("error", () => {});
  child.stdin.end(JSON.stringify(item.payload ?? null));
  const code = await new Promise<number>((resolve, reject) => {
    child.on("error", (error) => reject(new PermanentError(error.message)));
    child.on("close", (status) => resolve(status ?? 1));
  }).finally(() => context.signal.removeEventListener("abort", stop));
  const why = said.err.trim().slice(-errorLengthMax) || `exit code ${code}`;
  if (code === 0) return resultIn(said.out);
  if (code === rejectCode) throw new Reject(why);
  if (code === releaseCode) throw new Release(why);
  throw new Error(why);
}

/** `SWITCHYARD_ITEM_ID` and the others. */
function variablesOf(item: QueueItem): Record<string, string> {
  const { id, pool_id, key, priority, attempts, deliveries, environment, created_at, traceparent } = item;
  const values = { id, pool_id, key, priority, attempts, deliveries, environment, created_at, traceparent };
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      value === undefined ? [] : [[`SWITCHYARD_ITEM_${name.toUpperCase()}`, String(value)]],
    ),
  );
}

/** What the command has written is the result where it is JSON. */
function resultIn(text: string): unknown {
  if (text.trim() === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
