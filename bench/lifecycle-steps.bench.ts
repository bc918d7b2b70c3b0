// What does one item cost the processor, step by step, without any door?
import { defineBench } from "./support/bench.ts";
import { queueSteps } from "./support/queue-steps.ts";

const key = "item.attributes.customer";
/** All four controls over 10,000 keys, in the form that the runtime gets. */
const controls = {
  admission: {
    singleton: { key, mode: "skip" },
    debounce: { key, period_ms: 1, take: "last" },
    throttle: { key, limit: 2_000, period_ms: 1_000, burst: 1_000 },
    concurrency: [{ key, limit: 100 }],
  },
};

export default defineBench({
  question:
    "How much processor time do enqueue, claim and complete take per item, in one thread and without a door, and under all four admission controls?",
  contenders: {
    memory_single: () => queueSteps("memory", 1, 64),
    memory_batch: () => queueSteps("memory", 100, 8),
    embedded_single: () => queueSteps("embedded", 1, 64),
    embedded_batch: () => queueSteps("embedded", 100, 8),
    embedded_controlled: () => queueSteps("embedded", 100, 8, controls),
  },
});
