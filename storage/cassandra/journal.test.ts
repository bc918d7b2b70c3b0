import test from "ava";
import { limits } from "#base";
import { StorageError } from "#storage";
import { CassandraJournal } from "./journal.ts";
import { Lanes } from "./lanes.ts";
import { Layouts } from "./layouts.ts";
import type { Session } from "./session.ts";

test("an open of several shards fails for one: no statement for the others is still under way", async (t) => {
  let asked = 0;
  const session = {
    serial: async () => {
      asked++;
      await new Promise(setImmediate);
      throw new StorageError("unavailable", "no node answers");
    },
  } as unknown as Session;
  const lanes = new Lanes(() => limits.cassandraInFlightMax);
  const journal = new CassandraJournal(session, lanes, new Layouts(session));
  const all = Array.from({ length: limits.shardCount }, (_, shard) => shard);
  await t.throwsAsync(journal.open(all, 1), { instanceOf: StorageError });
  const before = asked;
  for (let i = 0; i < 100; i++) await new Promise(setImmediate);
  t.is(asked, before);
  t.true(asked <= limits.cassandraInFlightMax);
});
