// How many full life cycles a second, durable, against BullMQ on a Redis that syncs every write?

import { defineBench, type Stats } from "./support/bench.ts";
import { addBulk, addOne, bullmqLifeCycles } from "./support/bullmq.ts";
import { inFolder } from "./support/folder.ts";
import { batchedLifeCycles, newQueue, type QueueTarget, singleLifeCycles } from "./support/life-cycle.ts";
import { startService } from "./support/service.ts";
import { singleWorkLifeCycles, workLifeCycles } from "./support/work-client.ts";

export default defineBench({
  question:
    "How many full life cycles (enqueue, claim, complete) a second, durable, against BullMQ with appendfsync always?",
  needs: ["redis"],
  contenders: {
    batches: () => onService((target) => batchedLifeCycles(target, 8, 100)),
    work: () => onService(workLifeCycles),
    single: () => onService((target) => singleLifeCycles(target, 64)),
    single_work: () => onService(singleWorkLifeCycles),
    bullmq_bulk: () => bullmqLifeCycles(addBulk, 4),
    bullmq_single: () => bullmqLifeCycles(addOne, 64),
  },
  bars: [
    { figure: "per_s", contender: "batches", against: "bullmq_bulk", atLeast: 3 },
    // Three requests per item, each answered before the next.
    { figure: "per_s", contender: "single", against: "bullmq_single", atLeast: 1 },
    // Like BullMQ's worker, which keeps its connection too and gets the next item when it ends the one before.
    { figure: "per_s", contender: "single_work", against: "bullmq_single", atLeast: 1 },
  ],
});

function onService(run: (target: QueueTarget & { grpc: number }) => Promise<Stats>): Promise<Stats> {
  return inFolder(async (dir) => {
    const service = await startService(dir);
    const target = await newQueue(service);
    const stats = await run({ ...target, grpc: service.ports.grpc });
    await service.stop();
    return stats;
  });
}
