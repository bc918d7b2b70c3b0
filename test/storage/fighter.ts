/** A thread that takes a shard again and again and appends until it is fenced. Started by takeover.test.ts. */
import { setImmediate as nextLoop } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { attachStorage, StorageError } from "#storage";
import { append, take } from "../../storage/journal.cases.ts";

export interface FighterReport {
  readonly takeovers: number;
  readonly acknowledged: readonly string[];
  readonly refused: readonly string[];
}

const { bootstrap, number, shard, takeovers } = workerData as {
  bootstrap: unknown;
  number: number;
  shard: number;
  takeovers: number;
};
const storage = await attachStorage(bootstrap);
const acknowledged: string[] = [];
const refused: string[] = [];

for (let round = 0; round < takeovers; round++) {
  const owner = await take(storage.journal, shard);
  let seq = owner.head;
  for (let held = true; held && seq < owner.head + 20; ) {
    const value = `${number}.${round}.${seq}`;
    try {
      await append(storage.journal, owner, seq + 1, [value]);
      acknowledged.push(`${++seq}:${value}`);
    } catch (error) {
      if (!(error instanceof StorageError && error.kind === "fenced")) throw error;
      refused.push(`${seq + 1}:${value}`);
      held = false;
    }
  }
  await nextLoop();
}
await storage.close();
parentPort!.postMessage({ takeovers, acknowledged, refused } satisfies FighterReport);
