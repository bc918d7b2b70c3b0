import { setTimeout as sleep } from "node:timers/promises";
import { Queue, Worker } from "bullmq";
import type { Stats } from "./bench.ts";
import { onDurableRedis } from "./durable-redis.ts";
import { warmMs } from "./life-cycle.ts";

const payload = "x".repeat(100);
const seconds = 6;

/** BullMQ on its own Redis that syncs every write, with a worker of concurrency 100 that only reports what it got. */
export function onBullmq<Result>(
  work: (data: { readonly index?: number }) => void | Promise<void>,
  run: (queue: Queue) => Promise<Result>,
): Promise<Result> {
  return onDurableRedis(async (port) => {
    const connection = { host: "127.0.0.1", port };
    const queue = new Queue("bench", { connection });
    const worker = new Worker("bench", async ({ data }) => work(data), {
      connection,
      concurrency: 100,
      removeOnComplete: { count: 1_000 },
    });
    const result = await run(queue);
    await worker.close(true);
    await queue.close();
    return result;
  });
}

export function bullmqLifeCycles(add: (queue: Queue) => Promise<unknown>, lanes: number): Promise<Stats> {
  let completed = 0;
  let waiting = 0;
  let warmUntil = Number.POSITIVE_INFINITY;
  let until = Number.POSITIVE_INFINITY;
  const work = () => {
    waiting--;
    const now = performance.now();
    if (now >= warmUntil && now < until) completed++;
  };
  return onBullmq(work, async (queue) => {
    warmUntil = performance.now() + warmMs;
    until = warmUntil + seconds * 1_000;
    await Promise.all(
      Array.from({ length: lanes }, async () => {
        while (performance.now() < until) {
          // As our own lanes do: a lane waits for its items instead of adding more.
          if (waiting > 2_000) await sleep(5);
          else waiting += Number(await add(queue));
        }
      }),
    );
    return { per_s: completed / seconds };
  });
}

export async function addBulk(queue: Queue): Promise<number> {
  await queue.addBulk(Array.from({ length: 100 }, () => ({ name: "j", data: { payload } })));
  return 100;
}

export async function addOne(queue: Queue): Promise<number> {
  await queue.add("j", { payload });
  return 1;
}
