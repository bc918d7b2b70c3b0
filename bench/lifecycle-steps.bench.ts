// What does one item cost the processor, step by step, without any door?
import { defineBench } from "./support/bench.ts";
import { queueSteps } from "./support/queue-steps.ts";

export default defineBench({
  question:
    "How much processor time do enqueue, claim and complete take per item, in one thread and without a door?",
  contenders: {
    memory_single: () => queueSteps("memory", 1, 64),
    memory_batch: () => queueSteps("memory", 100, 8),
    embedded_single: () => queueSteps("embedded", 1, 64),
    embedded_batch: () => queueSteps("embedded", 100, 8),
  },
});
