// What do all four admission controls cost over 10,000 distinct keys?
import { setTimeout as sleep } from "node:timers/promises";
import { defineBench, type Figures } from "./support/bench.ts";
import { threadCpuUs } from "./support/cpu.ts";
import { inFolder } from "./support/folder.ts";
import { Lane } from "./support/lane.ts";
import { cycleBatch, newQueue, type QueueTarget } from "./support/life-cycle.ts";
import { median } from "./support/result.ts";
import { type BenchService, startService } from "./support/service.ts";

const key = "item.attributes.customer";
const keys = 10_000;
const lanes = 4;
const size = 100;
const rounds = 16;
/** V8 compiles on threads that are counted: 30 us an item after twelve seconds of work, 4 to 11 us after forty. */
const warmMs = 40_000;
const batchesPerRound = 60;
/** Long enough for what a round wrote to reach the tables: it is part of what the round cost. */
const quietMs = 400;
const payload = "x".repeat(100);

const controls = {
  admission: {
    singleton: { key, mode: "skip" },
    debounce: { key, period_ms: 1 },
    throttle: { key, limit: 1_000, period_ms: 1_000, burst: 1_000 },
    concurrency: [{ key, limit: 100 }],
  },
};

export default defineBench({
  question:
    "What does a batched life cycle cost with all four admission controls over 10,000 distinct keys, and without?",
  contenders: { queue: compare },
  rounds: 1,
  bars: [{ figure: "plain_share", contender: "queue", atLeast: 0.8 }],
});

/** Two pools of one service, in turns, by processor time: whatever else the machine does meets both alike. */
function compare(): Promise<Figures> {
  return inFolder(async (dir) => {
    const service = await startService(dir);
    const plain = { target: await newQueue(service), next: 0, costsUs: [] as number[] };
    const controlled = { target: await newQueue(service, controls), next: 0, costsUs: [] as number[] };
    const warmUntil = performance.now() + warmMs;
    while (performance.now() < warmUntil) for (const side of [plain, controlled]) await runBatches(side);
    for (let round = 0; round < rounds; round++)
      for (const side of round % 2 === 0 ? [plain, controlled] : [controlled, plain])
        side.costsUs.push(await costOfRoundUs(service, side));
    await service.stop();
    const [plainUs, controlledUs] = [median(plain.costsUs), median(controlled.costsUs)];
    return {
      plain_cpu_us: plainUs,
      controlled_cpu_us: controlledUs,
      // What is left of the rate where the processor is the limit; of neighbours, since the machine's own speed changes.
      plain_share: median(plain.costsUs.map((us, round) => us / controlled.costsUs[round]!)),
    };
  });
}

interface Side {
  readonly target: QueueTarget;
  next: number;
}

/** Processor time of the service for one life cycle. */
async function costOfRoundUs(service: BenchService, side: Side): Promise<number> {
  await sleep(quietMs);
  const before = threadCpuUs(service.pid);
  await runBatches(side);
  await sleep(quietMs);
  return (threadCpuUs(service.pid) - before) / (batchesPerRound * size);
}

async function runBatches(side: Side): Promise<void> {
  let left = batchesPerRound;
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      const lane = new Lane(side.target.port);
      while (left-- > 0)
        await cycleBatch(lane, side.target, size, () => ({
          payload,
          attributes: { customer: `customer-${side.next++ % keys}` },
        }));
      lane.close();
    }),
  );
}
