import { type ChildProcess, spawn } from "node:child_process";
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
    signals: false,
    onError: (error, item) =>
      terminal.err(`service: ${item === undefined ? "" : `${item.id}: `}${error.message}\n`),
  });
  const forget = onSignals(() => void worker.stop());
  terminal.err(`service: takes items of ${pool}; ends with Ctrl-C or SIGTERM\n`);
  await worker.done
    .catch((error: unknown) => {
      throw told(error, client.server);
    })
    .finally(forget);
  return exitCodes.done;
}

/** Commands that run, each by what ends it. */
const running = new Set<() => void>();

/** Stops at the first signal. At the second one it ends at once, with its commands: a terminal tells only the worker, also when it is closed. */
function onSignals(stop: () => void): () => void {
  let heard = 0;
  const hear = () => {
    heard += 1;
    if (heard === 1) return stop();
    for (const end of running) end();
    process.exit(exitCodes.refused);
  };
  const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, hear);
  return () => {
    for (const signal of signals) process.removeListener(signal, hear);
  };
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
  const env = { ...process.env, ...variablesOf(item) };
  // A group of processes of its own: Ctrl-C is for the worker, and SIGTERM reaches what the command has started itself.
  const child = spawn(program, args, { env, stdio: "pipe", detached: true });
  const stop = () => {
    endGroup(child.pid);
    // What goes on none the less may hold the output open, and nothing of that counts.
    const leave = () => {
      for (const stream of [child.stdout, child.stderr]) stream.destroy();
    };
    if (hasEnded(child)) leave();
    else child.once("exit", leave);
  };
  running.add(stop);
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
  }).finally(() => {
    running.delete(stop);
    context.signal.removeEventListener("abort", stop);
  });
  const why = said.err.trim().slice(-errorLengthMax) || `exit code ${code}`;
  if (code === 0) return resultIn(said.out);
  if (code === rejectCode) throw new Reject(why);
  if (code === releaseCode) throw new Release(why);
  throw new Error(why);
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** There is none where the command could not be started, or has ended. */
function endGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, "SIGTERM");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
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
