// Does the cost of a claim grow with the backlog, also after a restart?
import { rmSync } from "node:fs";
import { join } from "node:path";
import { defineBench, type Stats } from "./support/bench.ts";
import { inFolder } from "./support/folder.ts";
import { Lane } from "./support/lane.ts";
import { newQueue, type QueueTarget } from "./support/life-cycle.ts";
import { median } from "./support/result.ts";
import { type BenchService, startService } from "./support/service.ts";
import { compareCosts, type Side } from "./support/turns.ts";

const small = 1_000;
const large = Number(process.env.BENCH_BACKLOG ?? 1_000_000);
const fairnessKeys = 10_000;
const rounds = 24;
/** V8 compiles on threads that are counted, and goes on for half a minute and more. */
const warmMs = 40_000;
/**
 * A connection stays with one thread, which is the queue's own thread or has to ask it: many connections, so that both
 * sides have as many of each.
 */
const lanes = 30;
const claimsPerTurn = 5;
const turns = 9;
/** Pause before a series of claims: by then the items that were put back are in the tables. */
const restMs = 500;
const claimItems = 10;
const fillLanes = 2;
const fillBatch = 500;
const payload = "x".repeat(100);

export default defineBench({
  question:
    "What does a claim of 10 items cost with 1,000 and with 1,000,000 items waiting, all bands, 10,000 fairness keys?",
  contenders: { queue: compare },
  // A single figure may fall on either side of the bar.
  rounds: 3,
  bars: [
    { figure: "large_ratio", contender: "queue", atMost: 1.2 },
    { figure: "restarted_ratio", contender: "queue", atMost: 1.2 },
  ],
});

/**
 * Two queues of one service take turns: two processes that run the same code differ by up to a tenth, and other load on
 * the machine affects both queues alike.
 */
function compare(): Promise<Stats> {
  return inFolder(async (dir) => {
    const running: Running = { service: await startService(dir) };
    const few = await open(running, small);
    const many = await open(running, large);
    const kept = await inTurns(few, many);
    await running.service.stop();
    rmSync(join(dir, "ports.json"));
    running.service = await startService(dir);
    const restarted = await inTurns(few, many);
    await running.service.stop();
    return {
      small_cpu_us: kept.few.cpuUs,
      large_cpu_us: kept.many.cpuUs,
      large_ratio: kept.ratio,
      small_p50_us: kept.few.p50Us,
      large_p50_us: kept.many.p50Us,
      restarted_small_cpu_us: restarted.few.cpuUs,
      restarted_cpu_us: restarted.many.cpuUs,
      restarted_ratio: restarted.ratio,
      restarted_p50_us: restarted.many.p50Us,
      restarted_first_ms: restarted.many.firstUs / 1_000,
      filled_per_s: many.filledPerS,
    };
  });
}

interface Running {
  service: BenchService;
}

interface Backlog {
  readonly running: Running;
  readonly target: QueueTarget;
  readonly filledPerS: number;
  enqueued: number;
}

async function open(running: Running, backlog: number): Promise<Backlog> {
  const target = await newQueue(running.service, { fairness: { key: "item.key" } });
  const start = performance.now();
  await fill(target, backlog);
  const seconds = (performance.now() - start) / 1_000;
  return { running, target, enqueued: backlog, filledPerS: backlog / seconds };
}

/** Items of all bands and keys, evenly distributed. */
function items(count: number, start: number): object[] {
  return Array.from({ length: count }, (_, i) => ({
    key: `key-${((start + i) * 7_919) % fairnessKeys}`,
    priority: 1 + ((start + i) % 5),
    payload,
  }));
}

async function fill({ port, queue }: QueueTarget, backlog: number): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: fillLanes }, async () => {
      const lane = new Lane(port);
      while (next < backlog) {
        const start = next;
        next += fillBatch;
        await lane.post(`${queue}/items:batch`, { items: items(fillBatch, start) });
      }
      lane.close();
    }),
  );
}

interface Cost {
  readonly cpuUs: number;
  readonly p50Us: number;
  readonly firstUs: number;
}

interface Compared {
  readonly few: Cost;
  readonly many: Cost;
  readonly ratio: number;
}

async function inTurns(few: Backlog, many: Backlog): Promise<Compared> {
  const firstUs = { few: await firstClaimUs(few), many: await firstClaimUs(many) };
  for (const backlog of [few, many]) await work(backlog);
  const { service } = few.running;
  const open = openLanes(few.running);
  const sides = [claimsOf(few, open), claimsOf(many, open)] as const;
  const { us, ratio } = await compareCosts(service.pid, sides, { turns, restMs, rounds });
  for (const lane of open) lane.close();
  const costOf = (index: 0 | 1, firstUs: number) => ({
    cpuUs: us[index] / claimsPerTurn,
    p50Us: median(sides[index].wallUs),
    firstUs,
  });
  return { few: costOf(0, firstUs.few), many: costOf(1, firstUs.many), ratio };
}

/** Claims one after the other, each on another connection. */
function claimsOf(backlog: Backlog, open: readonly Lane[]): Side & { readonly wallUs: readonly number[] } {
  const wallUs: number[] = [];
  let claimed: Leased[] = [];
  let next = 0;
  return {
    wallUs,
    turn: async () => {
      for (let i = 0; i < claimsPerTurn; i++) {
        const start = performance.now();
        claimed.push(...(await claim(backlog, open[next++ % lanes]!)));
        wallUs.push((performance.now() - start) * 1_000);
      }
    },
    putBack: () => {
      const settled = claimed;
      claimed = [];
      return putBack(backlog, open[0]!, settled);
    },
  };
}

async function firstClaimUs(backlog: Backlog): Promise<number> {
  const lane = new Lane(backlog.running.service.ports.http);
  const start = performance.now();
  const claimed = await claim(backlog, lane);
  const us = (performance.now() - start) * 1_000;
  await putBack(backlog, lane, claimed);
  lane.close();
  return us;
}

/** Claims on all connections at once; the items are put back. */
async function work(backlog: Backlog): Promise<void> {
  const open = openLanes(backlog.running);
  const until = performance.now() + warmMs;
  while (performance.now() < until) {
    const claimed: Leased[] = [];
    for (let i = 0; i < 3; i++)
      for (const leased of await Promise.all(open.map((lane) => claim(backlog, lane))))
        claimed.push(...leased);
    await putBack(backlog, open[0]!, claimed);
  }
  for (const lane of open) lane.close();
}

function openLanes({ service }: Running): Lane[] {
  return Array.from({ length: lanes }, () => new Lane(service.ports.http));
}

interface Leased {
  readonly item: { readonly id: string };
  readonly lease_token: string;
}

async function claim({ target }: Backlog, lane: Lane): Promise<readonly Leased[]> {
  const request = { recipient_id: target.recipientId, max_items: claimItems };
  const { items } = await lane.post<{ items: Leased[] }>(`${target.queue}/items:claim`, request);
  if (items.length !== claimItems) throw new Error("a claim returned too few items");
  return items;
}

/** Claimed items are settled and enqueued again, so that the backlog stays the same; only the claims are counted. */
async function putBack(backlog: Backlog, lane: Lane, claimed: readonly Leased[]): Promise<void> {
  const { queue } = backlog.target;
  const settlements = claimed.map(({ item, lease_token }) => ({
    queue_item_id: item.id,
    lease_token,
    outcome: "complete",
  }));
  await lane.post(`${queue}/items:settle`, { settlements });
  await lane.post(`${queue}/items:batch`, { items: items(claimed.length, backlog.enqueued) });
  backlog.enqueued += claimed.length;
}
