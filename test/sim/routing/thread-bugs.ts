import { Peers } from "../../../runtime/workers/peers.ts";
import { type PlantedBug, replace } from "../planted.ts";

/** Bugs of what threads tell each other about requests and events. */
export const threadBugs: readonly PlantedBug[] = [
  {
    name: "the key of a request is not told to other threads",
    plant: () =>
      replace(Peers.prototype, "ask", (ask, [shard, asked, reply]) =>
        ask(shard, { ...asked, idempotency: undefined }, reply),
      ),
  },
  {
    name: "a subscriber hears only of the events of its own thread",
    plant: () =>
      replace(Peers.prototype, "eventSources", (sources, _none, { worker }) => {
        const own = sources().get(worker)!;
        return new Map([[worker, own]]);
      }),
  },
  {
    name: "where a subscriber stands is not told to other threads",
    plant: () =>
      replace(Peers.prototype, "eventSources", (sources, _none, peers) => {
        const all = sources();
        for (const [worker, source] of all)
          if (worker !== peers.worker)
            all.set(worker, ({ tenant }, done) => source({ tenant, after: [] }, done));
        return all;
      }),
  },
];
