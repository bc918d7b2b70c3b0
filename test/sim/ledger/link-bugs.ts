import type { MessagePort } from "node:worker_threads";
import { Turn } from "../../../runtime/shard/turn.ts";
import { Slots } from "../../../runtime/slots.ts";
import { Peers } from "../../../runtime/workers/peers.ts";
import { noFaults } from "../faults.ts";
import { type PlantedBug, replace } from "../planted.ts";
import { failing } from "./bugs.ts";

/** Bugs of the links between threads, and one that only shows where no question is lost: a caller is never answered. */
export const linkBugs: readonly PlantedBug[] = [
  {
    name: "a command that shared its turn with one that failed is forgotten",
    faults: failing,
    plant: () => replace(Turn.prototype, "abandon", (abandon) => abandon().slice(1)),
  },
  {
    name: "what was asked over a link that is lost is never answered",
    plant: () => replace(Slots.prototype, "takeAll", () => []),
  },
  {
    name: "an answer of another thread goes to the wrong caller",
    plant: () => replace(Slots.prototype, "take", (take, [number]) => take(number + 1) ?? take(number)),
  },
  {
    name: "a link is cut before what its dead thread said was heard",
    // Threads that are paused while others die.
    faults: { ...noFaults, kill: true, pause: true, latencyMs: 20, actEveryMs: 700 },
    plant: () => {
      const ports = new WeakMap<Peers, Map<number, MessagePort>>();
      return replace(Peers.prototype, "connect", (connect, [worker, port], peers) => {
        const known = ports.get(peers) ?? new Map<number, MessagePort>();
        ports.set(peers, known);
        known.get(worker)?.close();
        known.set(worker, port);
        connect(worker, port);
      });
    },
  },
];
