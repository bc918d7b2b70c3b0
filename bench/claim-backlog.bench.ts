// Does the cost of a claim grow with the backlog, also after a restart?
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { defineBench, type Figures } from "./support/bench.ts";
import { threadCpuUs } from "./support/cpu.ts";
import { inFolder } from "./support/folder.ts";
import { Lane } from "./support/lane.ts";
import { newQueue, type QueueTarget } from "./support/life-cycle.ts";
import { median } from "./support/result.ts";
import { type BenchService, startService } from "./support/service.ts";

const small = 1_000;
const large = Number(process.env.BENCH_BACKLOG ?? 1_000_000);
const fairnessKeys = 10_000;
const rounds = 24;
/** V8 compiles on threads that are counted, and goes on with it for half a minute and more. */
const warmMs = 40_000;
/** A service that rests collects its garbage, and V8 throws away with it what was compiled: before it is counted, it works. */
const busyMs = 1_500;
/** A connection stays with the thread that took it, which is the queue's own or has to ask it: many, so that both sides have as many of each. */
const lanes = 30;
const claimsPerRound = 90;
const claimItems = 10;
const fillLanes = 2;
const fillBatch = 500;
/** Long enough for what was written to reach the tables: it is part of the cost of what was measured, and of nothing else. */
const quietMs = 500;
const payload = "x".repeat(100);

export default defineBench({
  question:
    "What does a claim of 10 items cost with 1,000 and with 1,000,000 items waiting, all bands, 10,000 fairness keys?",
  contenders: { queue: compare },
  rounds: 1,
  bars: [
    { figure: "large_ratio", contender: "queue", atMost: 1.2 },
    { figure: "restarted_ratio", contender: "queue", atMost: 1.2 },
  ],
});

/**
 * Two queues of one service, in turns: two processes that run the same code differ by up to a tenth, and whatever else the
 * machine does meets both queues alike.
 */
function compare(): Promise<Figures> {
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

interface Side {
  readonly running: Running;
  readonly target: QueueTarget;
  readonly filledPerS: number;
  enqueued: number;
}

async function open(running: Running, backlog: number): Promise<Side> {
  const target = await newQueue(running.service, { fairness: { key: "item.key" } });
  const start = performance.now();
  await fill(target, backlog);
  const seconds = (performance.now() - start) / 1_000;
  return { running, target, enqueued: backlog, filledPerS: backlog / seconds };
}

/** Items of all bands and keys, each as likely as the other. */
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

/** `ratio`: of neighbours, since the machine's own speed changes from one second to the next. */
async function inTurns(few: Side, many: Side): Promise<{ few: Cost; many: Cost; ratio: number }> {
  const costs = { few: new Costs(), many: new Costs() };
  for (const [side, cost] of [
    [few, costs.few],
    [many, costs.many],
  ] as const) {
    cost.firstUs = await firstClaimUs(side);
    await work(side, warmMs);
  }
  for (let round = 0; round < rounds; round++) {
    const sides = [() => claimRound(few, costs.few), () => claimRound(many, costs.many)];
    for (const side of round % 2 === 0 ? sides : sides.reverse()) await side();
  }
  const [fewUs, manyUs] = [costs.few.cpuUs(), costs.many.cpuUs()];
  const ratio = median(manyUs.map((us, round) => us / fewUs[round]!));
  return { few: costs.few.summary(), many: costs.many.summary(), ratio };
}

class Costs {
  readonly spentUs: number[] = [];
  /** What is spent without claims, once a round: a collection now and then takes as much as all claims of one. */
  readonly idleUs: number[] = [];
  readonly wallUs: number[] = [];
  firstUs = 0;

  /** Of a claim, by round. */
  cpuUs(): number[] {
    const idleUs = median(this.idleUs);
    return this.spentUs.map((us) => (us - idleUs) / claimsPerRound);
  }

  summary(): Cost {
    return { cpuUs: median(this.cpuUs()), p50Us: median(this.wallUs), firstUs: this.firstUs };
  }
}

async function firstClaimUs(side: Side): Promise<number> {
  const [lane] = openLanes(side, 1);
  const { settlements, wallUs } = await claimMany(side, [lane!], 1);
  await putBack(side, lane!, settlements);
  lane!.close();
  return wallUs[0]!;
}

/** Claims on all connections at once, and puts back. */
async function work(side: Side, ms: number): Promise<void> {
  const open = openLanes(side, lanes);
  const until = performance.now() + ms;
  while (performance.now() < until) {
    const claimed = await Promise.all(open.map((lane) => claimMany(side, [lane], claimsPerRound / lanes)));
    await putBack(
      side,
      open[0]!,
      claimed.flatMap(({ settlements }) => settlements),
    );
  }
  for (const lane of open) lane.close();
}

/** Claims one after the other. */
async function claimRound(side: Side, costs: Costs): Promise<void> {
  await work(side, busyMs);
  const open = openLanes(side, lanes);
  let claimed: Claimed | undefined;
  await sleep(quietMs);
  costs.idleUs.push(await cpuOf(side, () => sleep(quietMs)));
  const spentUs = await cpuOf(side, async () => {
    claimed = await claimMany(side, open, claimsPerRound);
    await sleep(quietMs);
  });
  costs.spentUs.push(spentUs);
  costs.wallUs.push(...claimed!.wallUs);
  await putBack(side, open[0]!, claimed!.settlements);
  for (const lane of open) lane.close();
}

function openLanes({ running }: Side, count: number): Lane[] {
  return Array.from({ length: count }, () => new Lane(running.service.ports.http));
}

interface Claimed {
  readonly settlements: readonly object[];
  readonly wallUs: readonly number[];
}

async function claimMany({ target }: Side, open: readonly Lane[], count: number): Promise<Claimed> {
  const settlements: object[] = [];
  const wallUs: number[] = [];
  for (let i = 0; i < count; i++) {
    const start = performance.now();
    const leased = await claim(open[i % open.length]!, target.queue, target.recipientId);
    wallUs.push((performance.now() - start) * 1_000);
    for (const { item, lease_token } of leased)
      settlements.push({ queue_item_id: item.id, lease_token, outcome: "complete" });
  }
  if (settlements.length !== count * claimItems) throw new Error("a claim came back short");
  return { settlements, wallUs };
}

/** What is claimed is settled and enqueued again, so that the backlog stays as it is; only the claims are counted. */
async function putBack(side: Side, lane: Lane, settlements: readonly object[]): Promise<void> {
  await lane.post(`${side.target.queue}/items:settle`, { settlements });
  await lane.post(`${side.target.queue}/items:batch`, { items: items(settlements.length, side.enqueued) });
  side.enqueued += settlements.length;
}

async function cpuOf({ running }: Side, run: () => Promise<void>): Promise<number> {
  const { pid } = running.service;
  const before = threadCpuUs(pid);
  await run();
  return threadCpuUs(pid) - before;
}

async function claim(
  lane: Lane,
  queue: string,
  recipientId: string,
): Promise<readonly { readonly item: { readonly id: string }; readonly lease_token: string }[]> {
  const request = { recipient_id: recipientId, max_items: claimItems };
  const { items: leased } = await lane.post<{
    items: { item: { id: string }; lease_token: string }[];
  }>(`${queue}/items:claim`, request);
  return leased;
}
