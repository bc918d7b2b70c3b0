import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import test from "ava";
import { startStorage } from "#storage";
import { eventually } from "../../test/support/eventually.ts";
import type { NotebookCommand } from "../../test/support/runtime/notebook.ts";
import type { Answer } from "../ask.ts";
import { superviseWorkers } from "./supervise.ts";

/** Two workers over a folder, and a way to ask through either. */
async function startProcess(dir: string, count = 2, stuckAfterMs = 60_000) {
  const storageHost = await startStorage({ engine: "embedded", dir });
  const workers: Worker[] = [];
  const waiting = new Map<
    number,
    { through: number; answered: (answer: Answer) => void; lost: (error: Error) => void }
  >();
  const broadcasts: unknown[] = [];
  const events: { seq: number; payload: unknown }[] = [];
  const ready: (() => void)[] = [];
  /** Before each replacement of a worker. */
  const pausesMs: number[] = [];
  let asked = 0;
  const supervisor = await superviseWorkers({
    count,
    workerUrl: new URL("../../test/support/runtime/worker.ts", import.meta.url),
    storageHost,
    stuckAfterMs,
    logger: {
      error: () => {},
      warn: (facts) => void pausesMs.push((facts as { delayMs: number }).delayMs),
      info: () => {},
    },
    onWorker(worker, number) {
      workers[number] = worker;
      worker.on("message", (message) => {
        if ("ready" in message) for (const step of ready.splice(0)) step();
        if ("answer" in message) waiting.get(message.id)?.answered(message.answer);
        if ("broadcast" in message) broadcasts.push(message.broadcast);
        if ("event" in message) events.push(message.event);
      });
      worker.on("exit", (code) => {
        for (const { through, lost } of waiting.values())
          if (through === number) lost(new Error(`worker ${number} ended with ${code} while it was asked`));
      });
    },
  });
  const ask = (through: number, key: string, command: NotebookCommand, once?: string) =>
    new Promise<Answer>((answered, lost) => {
      const id = ++asked;
      waiting.set(id, { through, answered, lost });
      workers[through]!.postMessage({ type: "ask", id, key, command, once });
    });
  return {
    ask,
    broadcasts,
    events,
    pausesMs,
    tell: (worker: number, order: object) => workers[worker]!.postMessage(order),
    replaced: () => new Promise<void>((resolve) => ready.push(resolve)),
    async end() {
      await supervisor.drain();
      await storageHost.close();
    },
  };
}

type Process = Awaited<ReturnType<typeof startProcess>>;

/** Each run has a process of its own over the same folder. */
async function withFolder(
  ...runs: { workers?: number; stuckAfterMs?: number; run: (process: Process) => Promise<void> }[]
) {
  const dir = await mkdtemp(join(tmpdir(), "runtime-"));
  try {
    for (const { workers, stuckAfterMs, run } of runs) {
      const process = await startProcess(dir, workers, stuckAfterMs);
      try {
        await run(process);
      } finally {
        await process.end();
      }
    }
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

const keys = Array.from({ length: 16 }, (_, i) => `book-${i}`);

test.serial(
  "whichever worker is asked, one entity answers, and a restart finds what was acknowledged",
  async (t) => {
    await withFolder(
      {
        run: async ({ ask }) => {
          for (const key of keys) {
            await ask(0, key, { type: "add", amount: 1 });
            t.like(await ask(1, key, { type: "add", amount: 2 }), { response: { sum: 3, lines: 2 } });
          }
        },
      },
      {
        workers: 3,
        run: async ({ ask }) => {
          for (const key of keys) t.like(await ask(2, key, { type: "read" }), { response: { sum: 3 } });
        },
      },
    );
  },
);

test.serial("a worker that does not come up ends the start, and the others with it", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "runtime-"));
  t.teardown(() => rm(dir, { recursive: true, force: true }));
  const storageHost = await startStorage({ engine: "embedded", dir });
  t.teardown(() => storageHost.close());
  const workers: Worker[] = [];
  const start = superviseWorkers({
    count: 2,
    workerUrl: new URL("../../test/support/runtime/half-started-worker.ts", import.meta.url),
    storageHost,
    onWorker: (worker) => workers.push(worker),
  });
  await t.throwsAsync(start, { any: true, message: "the second worker does not come up" });
  const ended = workers.map(({ threadId }) => threadId);
  await Promise.all(workers.map((worker) => worker.terminate()));
  t.deepEqual(ended, [-1, -1]);
});

test.serial(
  "worker lost while others still start, and again before it is up: it is replaced once more",
  async (t) => {
    const dir = await mkdtemp(join(tmpdir(), "runtime-"));
    t.teardown(() => rm(dir, { recursive: true, force: true }));
    const storageHost = await startStorage({ engine: "embedded", dir });
    t.teardown(() => storageHost.close());
    const supervisor = await superviseWorkers({
      count: 2,
      workerUrl: new URL("../../test/support/runtime/stumbling-worker.ts", import.meta.url),
      workerData: new Int32Array(new SharedArrayBuffer(4)),
      storageHost,
    });
    t.teardown(() => supervisor.drain());
    const ready = await eventually("both are up", () => (supervisor.ready().length === 2 ? 2 : undefined));
    t.is(ready, 2);
  },
);

test.serial("messages, broadcasts and published events cross threads", async (t) => {
  await withFolder({
    run: async ({ ask, tell, broadcasts, events }) => {
      tell(0, { type: "subscribe" });
      await ask(0, "x", { type: "read" });
      for (const key of keys)
        await ask(0, key, { type: "add", amount: 5, send: "sink", delivered: true, publish: true });
      const sum = 5 * keys.length;
      t.like(await ask(1, "sink", { type: "read" }), { response: { messages: keys.length, sum } });
      await ask(0, "x", { type: "announce", topic: "news" });
      await eventually(
        "both threads heard it, and every event came",
        () => (broadcasts.length >= 2 && events.length >= keys.length) || undefined,
      );
      t.is(broadcasts.length, 2);
      t.is(events.length, keys.length);
    },
  });
});

test.serial(
  "worker thrown out by its own code: it is replaced and nothing acknowledged is lost",
  async (t) => {
    await withFolder({
      run: async ({ ask, tell, replaced }) => {
        for (const key of keys) await ask(0, key, { type: "add", amount: 1 }, `add ${key}`);
        const back = replaced();
        tell(1, { type: "throw" });
        await back;
        for (const key of keys) {
          t.like(await ask(1, key, { type: "read" }), { response: { sum: 1 } });
          t.like(await ask(1, key, { type: "add", amount: 1 }, `add ${key}`), { replayed: true });
        }
      },
    });
  },
);

test.serial("worker that fails soon after each start: it is replaced after ever longer pauses", async (t) => {
  await withFolder({
    run: async ({ ask, tell, replaced, pausesMs }) => {
      await Promise.all([0, 1].map((through) => ask(through, "x", { type: "read" })));
      for (let times = 0; times < 3; times++) {
        const back = replaced();
        tell(1, { type: "throw" });
        await back;
      }
      t.deepEqual(pausesMs, [0, 200, 400]);
    },
  });
});

test.serial("worker stuck in a loop: it is ended, replaced, and its shards answer again", async (t) => {
  await withFolder({
    stuckAfterMs: 5_000,
    run: async ({ ask, tell, replaced }) => {
      for (const key of keys) await ask(0, key, { type: "add", amount: 1 });
      const back = replaced();
      tell(1, { type: "block", ms: 60_000 });
      await back;
      for (const key of keys) t.like(await ask(0, key, { type: "read" }), { response: { sum: 1 } });
    },
  });
});
