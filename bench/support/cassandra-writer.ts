/**
 * A worker thread that saturates its shards, over its own session or through its parent. Started by cassandra-sessions.
 */
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { attachStorage, type JournalBatch, type OpenedShard } from "#storage";
import { GroupCommit } from "./group-commit.ts";
import { closedLoop } from "./load.ts";

export interface WriterOrders {
  /** Absent: appends go to the parent, which has opened the shards. */
  readonly bootstrap?: unknown;
  readonly shards: readonly number[];
  readonly opened: readonly OpenedShard[];
  readonly inFlight: number;
  readonly seconds: number;
}

const orders = workerData as WriterOrders;
const port = parentPort!;
const record = Buffer.alloc(256, 7);

const own = orders.bootstrap === undefined ? undefined : await attachStorage(orders.bootstrap);
const owners = own ? await own.journal.open(orders.shards, 1) : orders.opened;
const append = own ? (batch: JournalBatch) => own.journal.append(batch) : throughParent(port);
const shards = owners.map((owner) => new GroupCommit(append, owner));
const stats = await closedLoop(orders.inFlight, orders.seconds, (client) =>
  shards[client % shards.length]!.submit(record),
);
port.postMessage({ type: "figures", stats });

function throughParent(to: MessagePort): (batch: JournalBatch) => Promise<void> {
  const waiting = new Map<number, () => void>();
  let last = 0;
  to.on("message", (id: number) => {
    waiting.get(id)!();
    waiting.delete(id);
  });
  return (batch) =>
    new Promise((done) => {
      waiting.set(++last, done);
      to.postMessage({ type: "append", id: last, batch });
    });
}
