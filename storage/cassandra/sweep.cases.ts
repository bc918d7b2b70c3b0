import { crc32c } from "@node-rs/crc32";
import type { ExecutionContext, TestFn } from "ava";
import { limits, Random } from "#base";
import type { RowChange, ShardFlush, Storage } from "#storage";
import type { MakeEngine } from "../engine.cases.ts";
import { drop, flush, put, scanned } from "../tables.cases.ts";

/** Deleted rows on a real Cassandra that reads at most 20,000 deletion marks in one scan. */
export function sweepCases(test: TestFn, makeEngine: MakeEngine): void {
  const sweepTest = (name: string, run: (c: SweepCase) => Promise<void>) =>
    test(name, async (t) => {
      const engine = await makeEngine();
      const storage = await engine.attach();
      try {
        await run({ t, storage, shard: engine.newShard() });
      } finally {
        await storage.close();
        await engine.close();
      }
    });

  sweepTest(
    "40,000 rows are put and deleted at the head of a line: a scan from its head still gets an answer",
    async ({ t, storage, shard }) => {
      const key = (number: number) => `k${String(number).padStart(6, "0")}`;
      let seq = 0;
      await storage.tables.write([flush(shard, ++seq, [put("a", "first", 1), put("z", "last", 1)])]);
      for (let from = 0; from < 40_000; from += 4_000) {
        const numbers = Array.from({ length: 4_000 }, (_, i) => from + i);
        const puts = numbers.map((number) => put(key(number), "v", ++seq));
        await storage.tables.write([flush(shard, seq, puts)]);
        const drops = numbers.map((number) => drop(key(number), ++seq));
        await storage.tables.write([flush(shard, seq, drops)]);
      }
      t.deepEqual(await scanned(storage, { shard }), ["a=first", "z=last"]);
      t.deepEqual(await scanned(storage, { shard, reverse: true }), ["z=last", "a=first"]);
    },
  );

  sweepTest(
    "random puts and deletes, and earlier flushes arrive again: exactly the rows that exist are read",
    async ({ t, storage, shard }) => {
      const random = new Random("sweep");
      const keys = sweptKeys(24);
      const model = new Map<string, string>();
      const earlier: ShardFlush[] = [];
      let seq = 0;
      for (let round = 0; round < 60; round++) {
        const changes = new Map<string, RowChange>();
        for (let i = random.int(6); i >= 0; i--) {
          const key = random.pick(keys);
          const isPut = random.chance(0.45);
          changes.set(key, isPut ? put(key, `${seq + 1}`, ++seq) : drop(key, ++seq));
          if (isPut) model.set(key, `${seq}`);
          else model.delete(key);
        }
        const next = flush(shard, seq, [...changes.values()]);
        await storage.tables.write([next]);
        earlier.push(next);
        if (random.chance(0.3)) await storage.tables.write([random.pick(earlier)]);
        const living = [...model].map(([key, value]) => `${key}=${value}`).sort();
        t.deepEqual(await scanned(storage, { shard }), living, `round ${round}`);
      }
    },
  );
}

interface SweepCase {
  readonly t: ExecutionContext;
  readonly storage: Storage;
  readonly shard: number;
}

/** Keys that are sampled: each deletion of one of them sweeps the range around it. */
function sweptKeys(count: number): string[] {
  const keys: string[] = [];
  for (let number = 10_000; keys.length < count; number++)
    if (crc32c(`k${number}`) % limits.cassandraSweepOneOf === 0) keys.push(`k${number}`);
  return keys;
}
