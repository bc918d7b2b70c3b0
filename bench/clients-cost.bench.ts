// What share of the processor time of `lifecycle` do watchers and the history of items take?

import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Switchyard } from "#sdk";
import { defineBench, type Stats } from "./support/bench.ts";
import { cpuSeconds } from "./support/cpu.ts";
import { inFolder } from "./support/folder.ts";
import { Lane } from "./support/lane.ts";
import { claim, cycleBatch, newQueue, type QueueTarget, warmMs } from "./support/life-cycle.ts";
import { median } from "./support/result.ts";
import { startService } from "./support/service.ts";
import { compareCosts } from "./support/turns.ts";

const watchers = 20;
const pools = 50;
const turns = Number(process.env.BENCH_TURNS ?? 12);
const seconds = 3;
const lanes = 8;
const size = 100;
const shareMax = 0.03;
const payload = "x".repeat(100);

export default defineBench({
  question:
    "What share of the processor time of `lifecycle` do 20 watchers of 50 pools take, and the history of items that fail once?",
  contenders: {
    /** All life cycles are in one of the pools, as in `lifecycle`. */
    watchers: () => watching(1),
    /** Every watched pool changes: the most that watchers can be told. */
    watchers_of_busy: () => watching(pools),
    history,
  },
  rounds: 1,
  bars: [
    { figure: "share", contender: "watchers", atMost: shareMax },
    { figure: "share", contender: "history", atMost: shareMax },
  ],
});

/** Processor time of the service per life cycle, with watchers and without, in turns under the same load. */
function watching(busy: number): Promise<Stats> {
  return inFolder(async (dir) => {
    const service = await startService(dir);
    const targets: QueueTarget[] = [];
    for (let i = 0; i < pools; i++) targets.push(await newQueue(service));
    const load = new Load(targets.slice(0, busy));
    const ids = targets.map(({ poolId }) => poolId);
    const sy = new Switchyard({ url: `http://127.0.0.1:${service.ports.http}` });
    const usOfTurn = async () => {
      const [cpu, done] = [cpuSeconds(service.pid), load.done];
      await sleep(seconds * 1_000);
      return ((cpuSeconds(service.pid) - cpu) * 1e6) / (load.done - done);
    };
    const watched = async () => {
      const told = Array.from({ length: watchers }, () => watch(sy, ids));
      await Promise.all(told.map(({ first }) => first));
      await sleep(500);
      const us = await usOfTurn();
      for (const { ending } of told) ending.abort();
      const updates = await Promise.all(told.map(({ updates }) => updates));
      await sleep(500);
      return { us, updates: updates.reduce((sum, count) => sum + count, 0) };
    };
    await sleep(warmMs);
    const pairs: { us: number; bareUs: number; updates: number }[] = [];
    for (let turn = 0; turn < turns; turn++) {
      const before = turn % 2 === 0 ? await usOfTurn() : undefined;
      const with20 = await watched();
      pairs.push({ ...with20, bareUs: before ?? (await usOfTurn()) });
    }
    await load.stop();
    await service.stop();
    return {
      share: median(pairs.map(({ us, bareUs }) => us / bareUs - 1)),
      cpu_us: median(pairs.map(({ us }) => us)),
      without_cpu_us: median(pairs.map(({ bareUs }) => bareUs)),
      updates: median(pairs.map(({ updates }) => updates)),
    };
  });
}

/** `first`: has been told of all pools. `updates`: how many pools it was told of. */
function watch(sy: Switchyard, ids: readonly string[]) {
  const ending = new AbortController();
  let begun: () => void = () => {};
  const first = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const updates = (async () => {
    let count = 0;
    for await (const { pools } of sy.watch(ids, {}, ending)) {
      count += pools?.pools?.length ?? 0;
      begun();
    }
    return count;
  })();
  return { ending, first, updates };
}

/** Batches of life cycles as `lifecycle` makes them, over queues in turn. */
class Load {
  done = 0;
  #isOver = false;
  readonly #running: Promise<unknown>;

  constructor(targets: readonly QueueTarget[]) {
    let next = 0;
    this.#running = Promise.all(
      Array.from({ length: lanes }, async () => {
        const lane = new Lane(targets[0]!.port);
        while (!this.#isOver) {
          const made = await cycleBatch(lane, targets[next++ % targets.length]!, size, () => ({ payload }));
          this.done += made;
        }
        lane.close();
      }),
    );
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }
}

/** Life cycles with a failure in them; a switch that is built in for this bench leaves the history of some items out. */
function history(): Promise<Stats> {
  return inFolder(async (dir) => {
    const historySwitch = fileURLToPath(new URL("support/history-switch.mjs", import.meta.url));
    const service = await startService(dir, [], ["--import", historySwitch]);
    const target = await newQueue(service);
    const lane = new Lane(target.port);
    await checkSwitch(lane, target);
    const side = (errorType: string) => ({ turn: () => failOnce(lane, target, errorType) });
    for (const until = performance.now() + warmMs; performance.now() < until; )
      for (const { turn } of [side("unnoted"), side("noted")]) await turn();
    const { us, ratio } = await compareCosts(service.pid, [side("unnoted"), side("noted")], {
      turns: 25,
      restMs: 200,
      rounds: turns,
    });
    lane.close();
    await service.stop();
    return { share: ratio - 1, cpu_us: us[1] / size, without_cpu_us: us[0] / size };
  });
}

async function failOnce(lane: Lane, target: QueueTarget, error_type: string): Promise<void> {
  await lane.post(`${target.queue}/items:batch`, {
    items: Array.from({ length: size }, () => ({ payload })),
  });
  await settleAll(lane, target, { outcome: "fail", error: "not now", error_type, delay_ms: 0 });
  await settleAll(lane, target, { outcome: "complete" });
}

async function settleAll(lane: Lane, target: QueueTarget, outcome: object): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < size) {
    const leased = await claim(lane, target, size - ids.length);
    const settlements = leased.map(({ item, lease_token }) => ({
      queue_item_id: item.id,
      lease_token,
      ...outcome,
    }));
    const { results } = await lane.post<{ results: { error?: unknown }[] }>(`${target.queue}/items:settle`, {
      settlements,
    });
    const refused = results.find(({ error }) => error !== undefined);
    if (refused) throw new Error(JSON.stringify(refused));
    ids.push(...leased.map(({ item }) => item.id));
  }
  return ids;
}

/** What is compared has to differ in the history alone. */
async function checkSwitch(lane: Lane, target: QueueTarget): Promise<void> {
  for (const [errorType, entries] of [
    ["unnoted", 0],
    ["noted", 1],
  ] as const) {
    await lane.post(`${target.queue}/items:batch`, {
      items: Array.from({ length: size }, () => ({ payload })),
    });
    await settleAll(lane, target, { outcome: "fail", error: "not now", error_type: errorType, delay_ms: 0 });
    const [id] = await settleAll(lane, target, { outcome: "complete" });
    const answer = await fetch(`http://127.0.0.1:${target.port}${target.queue}/items/${id}`);
    const { data } = (await answer.json()) as { data: { history?: unknown[] } };
    if ((data.history ?? []).length !== entries)
      throw new Error(`an item that failed as ${errorType} has the history ${JSON.stringify(data.history)}`);
  }
}
