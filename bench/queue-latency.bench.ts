// How long from an enqueue to the lease of its item, at 1,000 items a second?
import { defineBench, type Stats } from "./support/bench.ts";
import { onBullmq } from "./support/bullmq.ts";
import { inFolder } from "./support/folder.ts";
import { Lane } from "./support/lane.ts";
import { newQueue, type QueueTarget } from "./support/life-cycle.ts";
import { OpenLoop } from "./support/open-loop.ts";
import { startService } from "./support/service.ts";
import { openWork, type WorkFrame } from "./support/work-client.ts";

const perSecond = Number(process.env.BENCH_RATE ?? 1_000);
/** Until V8 has little left to compile: after ten seconds at this rate its threads still took an eighth of a core. */
const warmMs = 30_000;
const seconds = 10;
const lanes = 64;
const pollers = 8;
const claimItems = 20;
const credit = 400;
const payload = "x".repeat(100);

export default defineBench({
  question:
    "How many milliseconds from an enqueue by REST to the lease of its item, at 1,000 items a second, each enqueued by itself?",
  needs: ["redis"],
  contenders: {
    work: () => run(onWork),
    long_poll: () => run(byPolling),
    // For comparison: what BullMQ reaches on this machine.
    bullmq,
  },
  bars: [
    { figure: "p99_ms", contender: "work", atMost: 15 },
    { figure: "p99_ms", contender: "long_poll", atMost: 15 },
  ],
});

type Target = QueueTarget & { readonly grpc: number };
/** Starts workers that report the key of every item they get; the returned function stops them. */
type Workers = (target: Target, leased: (key: string) => void) => () => void;

function run(workers: Workers): Promise<Stats> {
  return inFolder(async (dir) => {
    const service = await startService(dir);
    const target = { ...(await newQueue(service)), grpc: service.ports.grpc };
    const loop = new OpenLoop(perSecond, warmMs, seconds);
    const stop = workers(target, (key) => loop.finished(Number(key)));
    await enqueue(target, loop);
    const stats = await loop.stats();
    stop();
    await service.stop();
    return stats;
  });
}

function bullmq(): Promise<Stats> {
  const loop = new OpenLoop(perSecond, warmMs, seconds);
  return onBullmq(
    ({ index }) => loop.finished(index!),
    async (queue) => {
      await inLanes(loop, async (index) => void (await queue.add("j", { index, payload })));
      return loop.stats();
    },
  );
}

/** Every item has its due time; one that finds no free connection waits, and that is part of its latency. */
async function enqueue({ port, queue }: Target, loop: OpenLoop): Promise<void> {
  const free = Array.from({ length: lanes }, () => new Lane(port));
  await inLanes(loop, async (index) => {
    // In turn: the service closes a connection that is not used for long.
    const lane = free.shift()!;
    await lane.post(`${queue}/items`, { key: String(index), payload });
    free.push(lane);
  });
  for (const lane of free) lane.close();
}

async function inLanes(loop: OpenLoop, add: (index: number) => Promise<void>): Promise<void> {
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (let index = await loop.next(); index !== undefined; index = await loop.next()) await add(index);
    }),
  );
}

const onWork: Workers = (target, leased) => {
  const { stream, close } = openWork(target);
  stream.on("data", ({ assigned }: WorkFrame) => {
    if (!assigned) return;
    const settlements = assigned.items.map(({ item, lease_token }) => {
      leased(item.key);
      return { queue_item_id: item.id, lease_token, outcome: "complete" };
    });
    stream.write({ credit: { items: settlements.length } });
    stream.write({ settle: { settlements } });
  });
  stream.write({ hello: { pool_id: target.poolId, recipient_id: target.recipientId, credit } });
  return close;
};

interface Leased {
  readonly item: { readonly id: string; readonly key: string };
  readonly lease_token: string;
}

const byPolling: Workers = ({ port, queue, recipientId }, leased) => {
  let stopped = false;
  const request = { recipient_id: recipientId, max_items: claimItems, wait_seconds: 2 };
  for (let poller = 0; poller < pollers; poller++)
    poll().catch((error) => {
      // Claims that still wait when the service stops are refused.
      if (!stopped) throw error;
    });
  return () => {
    stopped = true;
  };

  async function poll(): Promise<void> {
    const lane = new Lane(port);
    while (!stopped) {
      const { items } = await lane.post<{ items: Leased[] }>(`${queue}/items:claim`, request);
      const settlements = items.map(({ item, lease_token }) => {
        leased(item.key);
        return { queue_item_id: item.id, lease_token, outcome: "complete" };
      });
      if (settlements.length > 0) await lane.post(`${queue}/items:settle`, { settlements });
    }
    lane.close();
  }
};
