// What do all four admission controls cost over 10,000 distinct keys?
import { defineBench, type Stats } from "./support/bench.ts";
import { inFolder } from "./support/folder.ts";
import { Lane } from "./support/lane.ts";
import { cycleBatch, newQueue, type QueueTarget } from "./support/life-cycle.ts";
import { startService } from "./support/service.ts";
import { compareCosts, type Side } from "./support/turns.ts";

const key = "item.attributes.customer";
const keys = 10_000;
const lanes = 4;
const size = 100;
const rounds = 24;
/**
 * V8 compiles on threads that are counted: after twelve seconds of work it still takes 30 us per item, after forty 4 to
 * 11 us.
 */
const warmMs = 40_000;
/** Batches of each side in a row, one on every lane: the service is busy for a second. */
const turns = 12;
const payload = "x".repeat(100);

const controls = {
  admission: {
    singleton: { key, mode: "skip" },
    debounce: { key, period_ms: 1 },
    throttle: { key, limit: 2_000, period_ms: 1_000, burst: 1_000 },
    concurrency: [{ key, limit: 100 }],
  },
};

export default defineBench({
  question:
    "What does a batched life cycle cost with all four admission controls over 10,000 distinct keys, and without?",
  contenders: { queue: compare },
  // A single figure may fall on either side of the bar.
  rounds: 3,
  bars: [{ figure: "plain_share", contender: "queue", atLeast: 0.8 }],
});

/** Two pools of one service take turns, measured by processor time: other load on the machine affects both alike. */
function compare(): Promise<Stats> {
  return inFolder(async (dir) => {
    const service = await startService(dir);
    const open = Array.from({ length: lanes }, () => new Lane(service.ports.http));
    const sides = [
      cyclesOf(await newQueue(service, controls), open),
      cyclesOf(await newQueue(service), open),
    ] as const;
    const warmUntil = performance.now() + warmMs;
    while (performance.now() < warmUntil) for (const { turn } of sides) await turn();
    const { us, ratio } = await compareCosts(service.pid, sides, { turns, restMs: 0, rounds });
    for (const lane of open) lane.close();
    await service.stop();
    const [controlledUs, plainUs] = us;
    return {
      plain_cpu_us: plainUs / (lanes * size),
      controlled_cpu_us: controlledUs / (lanes * size),
      // The share of the rate that is left where the processor is the limit.
      plain_share: ratio,
    };
  });
}

/** Life cycles of one batch on each lane. */
function cyclesOf(target: QueueTarget, open: readonly Lane[]): Side {
  let next = 0;
  const makeItem = () => ({ payload, attributes: { customer: `customer-${next++ % keys}` } });
  return {
    turn: async () => {
      await Promise.all(open.map((lane) => cycleBatch(lane, target, size, makeItem)));
    },
  };
}
