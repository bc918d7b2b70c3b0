import type { ChangedEvent } from "../../../actors/pools/queue/rows/changed.ts";
import { inMemory } from "../../../actors/pools/queue/rows/changed.ts";
import type { Item, ItemRow, Lease } from "../../../actors/pools/queue/rows/item.ts";
import { bodyInRow, fromRow, toRow } from "../../../actors/pools/queue/rows/item-row.ts";
import { Cell } from "../../../runtime/shard/cell.ts";
import { noFaults } from "../faults.ts";
import type { PlantedBug } from "../planted.ts";
import { applying, writing } from "./breaking.ts";

/** Bugs of what callers see of an item at work: who waits for its end, and how far its worker is. */
export const watchBugs: readonly PlantedBug[] = [
  {
    name: "a waiter is forgotten at passivation",
    faults: { ...noFaults, crowded: true },
    plant: () => {
      const original = Object.getOwnPropertyDescriptor(Cell.prototype, "idle")!;
      const idle = function (this: Cell): boolean {
        const isWatched = this.entities.some(({ parkedCommands }) => parkedCommands.some(isWatch));
        const isQuiet = !this.blocked && !this.scheduled;
        const waits = this.system.length + this.woken.length + this.asks.length;
        if (isWatched && isQuiet && waits === 0)
          return this.entities.every(({ parkedCommands }) => parkedCommands.every(isWatch));
        return original.get!.call(this) as boolean;
      };
      Object.defineProperty(Cell.prototype, "idle", { ...original, get: idle });
      return () => Object.defineProperty(Cell.prototype, "idle", original);
    },
  },
  {
    name: "a new lease shows the progress of the one before",
    breakActor: leasesHave((lease, before) => before && before.token !== lease.token && before.progress),
  },
  {
    name: "the first progress of a lease stays",
    breakActor: leasesHave((lease, before) => before?.token === lease.token && before.progress),
  },
  {
    name: "progress is stored with a neighbour's lease",
    faults: { ...noFaults, kill: true, crowded: true, actEveryMs: 300 },
    breakActor: writing("queue", (rows) => ({
      put: (collection, key, value) =>
        rows.put(collection as string, key, collection === "lease" ? exchanged(value as ItemRow[]) : value),
    })),
  },
];

function isWatch(command: unknown): boolean {
  return (command as { type: string }).type === "watch";
}

/** Leases as they are applied, with the progress that `wrong` names, if it names one. */
function leasesHave(
  wrong: (lease: Lease, before: Lease | undefined) => Lease["progress"] | undefined | false,
) {
  const last = new Map<string, Lease>();
  return applying("queue", (apply, event) => {
    const { [inMemory]: changes } = event as Partial<ChangedEvent>;
    for (const { item } of changes?.values() ?? []) {
      if (item.lease === null) continue;
      const progress = wrong(item.lease, last.get(item.id));
      if (progress) (item as { lease: Lease }).lease = { ...item.lease, progress };
      last.set(item.id, item.lease);
    }
    apply(event);
  });
}

function exchanged(rows: readonly ItemRow[]): ItemRow[] {
  const items = rows.map(fromRow);
  return items.map((item: Item, index) => {
    const { progress } = items[(index + 1) % items.length]!.lease!;
    return toRow({ ...item, lease: { ...item.lease!, progress } }, bodyInRow(rows[index]!));
  });
}
