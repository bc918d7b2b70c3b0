import { Nodes } from "../../../runtime/cluster/nodes.ts";
import { Outbox } from "../../../runtime/shard/outbox.ts";
import { Retries } from "../../../runtime/thread/retries.ts";
import type { Storage } from "../../../storage/index.ts";
import { noFaults } from "../faults.ts";
import { type PlantedBug, replace } from "../planted.ts";

/** Faults: nodes join and leave all the time, and nothing else goes wrong. */
const moving = { ...noFaults, move: true, kill: true, pause: true, actEveryMs: 500 };

/** Bugs of a cluster: of its fence, its moves, its links and its retries. */
export const memberBugs: readonly PlantedBug[] = [
  {
    name: "two owners acknowledge: a node that was replaced does not ask the store",
    faults: { ...noFaults, pause: true, cut: true, actEveryMs: 500 },
    breakStorage: (storage: Storage) => ({
      ...storage,
      journal: {
        open: (shards, view) => storage.journal.open(shards, view),
        append: (batch) => storage.journal.append(batch).catch(() => undefined),
        replay: (shard, after) => storage.journal.replay(shard, after),
        trim: (shard, epoch, upTo) => storage.journal.trim(shard, epoch, upTo),
      },
    }),
  },
  {
    name: "a request that was answered is asked again as if its shard had moved",
    faults: moving,
    plant: () =>
      replace(Retries.prototype, "post", (post, [ask, reply]) => {
        const { idempotency: _, ...unkeyed } = ask;
        let again = true;
        post(unkeyed, () => {
          if (!again) return;
          again = false;
          post(unkeyed, reply);
        });
      }),
  },
  {
    name: "a broadcast does not leave its node",
    faults: moving,
    plant: () =>
      replace(Nodes.prototype, "broadcast", (broadcast, [topic, payload]) => {
        if (topic.startsWith("~")) broadcast(topic, payload);
      }),
  },
  {
    name: "a hand-over drops the outbox",
    faults: moving,
    plant: () => replace(Outbox.prototype, "read", () => undefined),
  },
];
