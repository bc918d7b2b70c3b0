// What do all four admission controls cost over 10,000 distinct keys?
import { defineBench, type Figures } from "./support/bench.ts";
import { inFolder } from "./support/folder.ts";
import { batchedLifeCycles, newQueue } from "./support/life-cycle.ts";
import { startService } from "./support/service.ts";

const key = "item.attributes.customer";
const keys = 10_000;
const payload = "x".repeat(100);

export default defineBench({
  question:
    "How many batched life cycles a second remain with all four admission controls over 10,000 distinct keys?",
  contenders: {
    plain: () => run({}),
    controlled: () =>
      run({
        admission: {
          singleton: { key, mode: "skip" },
          debounce: { key, period_ms: 1 },
          throttle: { key, limit: 1_000, period_ms: 1_000, burst: 1_000 },
          concurrency: [{ key, limit: 100 }],
        },
      }),
  },
  bars: [{ figure: "per_s", contender: "controlled", against: "plain", atLeast: 0.8 }],
});

function run(config: object): Promise<Figures> {
  return inFolder(async (dir) => {
    const service = await startService(dir);
    const target = await newQueue(service, config);
    const figures = await batchedLifeCycles(target, 8, 100, (index) => ({
      payload,
      attributes: { customer: `customer-${index % keys}` },
    }));
    await service.stop();
    return figures;
  });
}
