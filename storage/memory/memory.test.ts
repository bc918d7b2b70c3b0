import test from "ava";
import { attachStorage, type Interference, MemoryStore, openMemory, startStorage } from "#storage";
import type { MakeEngine } from "../engine.cases.ts";
import { append, journalCases, rejects, replayed, take } from "../journal.cases.ts";
import { objectsCases } from "../objects.cases.ts";
import { flush, put, scanned, tablesCases } from "../tables.cases.ts";

const makeEngine: MakeEngine = async () => {
  const host = await startStorage({ engine: "memory" });
  let shards = 0;
  return {
    attach: () => attachStorage(host.bootstrap(0).data),
    newShard: () => shards++,
    close: () => host.close(),
  };
};

journalCases(test, makeEngine);
tablesCases(test, makeEngine);
objectsCases(test, makeEngine);

test("an append applied but reported as timed out is found by the next owner", async (t) => {
  const store = new MemoryStore();
  const lying: Interference = {
    before: ({ type }) => (type === "append" ? { type: "unknown", applied: true } : "proceed"),
  };
  const { journal } = openMemory(store, lying);
  const owner = await take(journal, 1);
  await rejects(t, append(journal, owner, 1, ["a"]), "unknown");
  t.is((await take(journal, 1)).head, 1);
  t.deepEqual(await replayed(journal, 1, 0), ["1:a"]);
});

test("an append that arrives after its time-out is fenced, because the shard was opened again", async (t) => {
  const store = new MemoryStore();
  let arrive = () => {};
  const late = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const { journal } = openMemory(store, {
    before: ({ type }) => (type === "append" ? { type: "unknown", applied: late } : "proceed"),
  });
  const owner = await take(journal, 1);
  await rejects(t, append(journal, owner, 1, ["a"]), "unknown");
  t.is((await take(journal, 1)).head, 0);
  arrive();
  await late;
  t.deepEqual(await replayed(journal, 1, 0), []);
});

test("an older membership view takes no shard", async (t) => {
  const store = new MemoryStore();
  await take(openMemory(store).journal, 1, 7);
  await rejects(t, take(openMemory(store).journal, 1, 6), "fenced");
});

for (const [leftover, expected] of [
  ["kept", ["1:a"]],
  ["lost", []],
  ["torn", []],
] as const)
  test(`power lost between write and sync: a batch that is ${leftover} is never acknowledged`, async (t) => {
    const store = new MemoryStore();
    const storage = openMemory(store, { sync: () => new Promise(() => {}) });
    const owner = await take(storage.journal, 1);
    let settled = false;
    append(storage.journal, owner, 1, ["a"]).then(
      () => {
        settled = true;
      },
      () => {},
    );
    await new Promise(setImmediate);
    storage.crash(() => leftover);
    const next = openMemory(store).journal;
    t.is((await take(next, 1)).head, expected.length);
    t.deepEqual(await replayed(next, 1, 0), [...expected]);
    t.false(settled);
    t.is(store.tornTails, leftover === "torn" ? 1 : 0);
  });

for (const [leftover, kind] of [
  ["kept", "unknown"],
  ["lost", "fenced"],
] as const)
  test(`another owner takes the shard between write and sync: a batch that is ${leftover} is ${kind} to its owner`, async (t) => {
    const store = new MemoryStore();
    let synced = () => {};
    const sync = () => new Promise<"synced">((resolve) => (synced = () => resolve("synced")));
    const { journal } = openMemory(store, { sync });
    const owner = await take(journal, 1);
    const appended = append(journal, owner, 1, ["a"]);
    await new Promise(setImmediate);
    await take(openMemory(store, { leftover: () => leftover }).journal, 1);
    synced();
    await rejects(t, appended, kind);
  });

test("an fsync error stops the process and acknowledges nothing", async (t) => {
  const store = new MemoryStore();
  const reasons: string[] = [];
  const { journal } = openMemory(store, { sync: () => "failed", stopped: (reason) => reasons.push(reason) });
  const owner = await take(journal, 1);
  await rejects(t, append(journal, owner, 1, ["a"]), "closed");
  t.is(reasons.length, 1);
  await rejects(t, take(journal, 1), "closed");
});

test("a full disk refuses the append, and the next one succeeds without a restart", async (t) => {
  let full = true;
  const { journal } = openMemory(new MemoryStore(), {
    before: ({ type }) => (type === "append" && full ? { type: "fail", kind: "full" } : "proceed"),
  });
  const owner = await take(journal, 1);
  await rejects(t, append(journal, owner, 1, ["a"]), "full");
  full = false;
  await append(journal, owner, 1, ["a"]);
  t.deepEqual(await replayed(journal, 1, 0), ["1:a"]);
});

test("a flush that breaks off does not move the watermark, and repeating it completes it", async (t) => {
  let interrupted = true;
  const storage = openMemory(new MemoryStore(), {
    before: ({ type }) =>
      type === "write" && interrupted ? { type: "part", stored: (change) => change === 1 } : "proceed",
  });
  const rows = [flush(1, 2, [put("a", "1", 1), put("b", "2", 2)])];
  await rejects(t, storage.tables.write(rows), "unavailable");
  t.deepEqual(await scanned(storage, { shard: 1 }), ["b=2"]);
  t.is(await storage.tables.watermark(1), 0);
  interrupted = false;
  await storage.tables.write(rows);
  t.deepEqual(await scanned(storage, { shard: 1 }), ["a=1", "b=2"]);
});

test("a late and partial flush of a replaced owner removes nothing that its successor stored", async (t) => {
  const store = new MemoryStore();
  const rows = [
    {
      ...flush(1, 2, [put("a", "2", 2)]),
      deletedRanges: [{ partition: "p", seq: 2 }],
    },
  ];
  await openMemory(store).tables.write(rows);
  const replaced = openMemory(store, { before: () => ({ type: "part", stored: () => false }) });
  await rejects(t, replaced.tables.write(rows), "unavailable");
  t.deepEqual(await scanned(openMemory(store), { shard: 1 }), ["a=2"]);
});
