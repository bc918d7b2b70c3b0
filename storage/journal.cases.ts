import type { ExecutionContext, TestFn } from "ava";
import type { Journal, OpenedShard, Storage } from "#storage";
import { StorageError, type StorageErrorKind } from "#storage";
import { bytesOf, type MakeEngine, textOf } from "./engine.cases.ts";

/** What every journal promises, whatever the engine. */
export function journalCases(test: TestFn, makeEngine: MakeEngine): void {
  const withEngine =
    (run: (t: ExecutionContext, attach: () => Promise<Storage>, newShard: () => number) => Promise<void>) =>
    async (t: ExecutionContext) => {
      const engine = await makeEngine();
      const handles: Storage[] = [];
      const attach = async () => {
        const handle = await engine.attach();
        handles.push(handle);
        return handle;
      };
      try {
        await run(t, attach, () => engine.newShard());
      } finally {
        for (const handle of handles) await handle.close();
        await engine.close();
      }
    };

  test(
    "journal: a new shard is empty, and what is appended is replayed in order",
    withEngine(async (t, attach, newShard) => {
      const { journal } = await attach();
      const owner = await take(journal, newShard());
      t.is(owner.head, 0);
      await append(journal, owner, 1, ["a", "b"]);
      await append(journal, owner, 3, ["c"]);
      t.deepEqual(await replayed(journal, owner.shard, 0), ["1:a", "2:b", "3:c"]);
      t.deepEqual(await replayed(journal, owner.shard, 1), ["2:b", "3:c"]);
      t.deepEqual(await replayed(journal, owner.shard, 3), []);
    }),
  );

  test(
    "journal: entries keep every byte, empty and large ones too",
    withEngine(async (t, attach, newShard) => {
      const { journal } = await attach();
      const owner = await take(journal, newShard());
      const every = Uint8Array.from({ length: 256 }, (_, i) => i);
      const large = new Uint8Array(400_000).map((_, i) => (i * 31) & 0xff);
      await journal.append({ ...owner, firstSeq: 1, entries: [new Uint8Array(0), every, large] });
      const seen: Uint8Array[] = [];
      for await (const entry of journal.replay(owner.shard, 0)) seen.push(Uint8Array.from(entry.bytes));
      t.deepEqual(
        seen.map((bytes) => bytes.length),
        [0, 256, 400_000],
      );
      t.deepEqual(seen[1], every);
      t.true(Buffer.compare(seen[2]!, large) === 0);
    }),
  );

  test(
    "journal: many shards append at once, and each keeps its own entries",
    withEngine(async (t, attach, newShard) => {
      const { journal } = await attach();
      const owners = await journal.open([newShard(), newShard(), newShard(), newShard()], 1);
      for (let seq = 1; seq <= 20; seq++)
        await Promise.all(owners.map((owner) => append(journal, owner, seq, [`${owner.shard}/${seq}`])));
      for (const { shard } of owners) {
        const expected = Array.from({ length: 20 }, (_, i) => `${i + 1}:${shard}/${i + 1}`);
        t.deepEqual(await replayed(journal, shard, 0), expected);
      }
    }),
  );

  test(
    "journal: a second open has a higher epoch, the old head, and goes on with the sequence",
    withEngine(async (t, attach, newShard) => {
      const first = (await attach()).journal;
      const old = await take(first, newShard());
      await append(first, old, 1, ["a"]);
      const second = (await attach()).journal;
      const owner = await take(second, old.shard);
      t.true(owner.epoch > old.epoch);
      t.is(owner.head, 1);
      await append(second, owner, 2, ["b"]);
      t.deepEqual(await replayed(second, owner.shard, 0), ["1:a", "2:b"]);
    }),
  );

  test(
    "journal: after a take-over the old owner's appends are fenced, at any sequence, and leave no trace",
    withEngine(async (t, attach, newShard) => {
      const old = (await attach()).journal;
      const before = await take(old, newShard());
      await append(old, before, 1, ["a"]);
      const fresh = (await attach()).journal;
      const after = await take(fresh, before.shard);
      await rejects(t, append(old, before, 2, ["stale"]), "fenced");
      await append(fresh, after, 2, ["b"]);
      for (const seq of [2, 3, 4]) await rejects(t, append(old, before, seq, ["stale"]), "fenced");
      t.deepEqual(await replayed(fresh, after.shard, 0), ["1:a", "2:b"]);
    }),
  );

  test(
    "journal: an owner that opens its shard again fences its own earlier epoch",
    withEngine(async (t, attach, newShard) => {
      const { journal } = await attach();
      const first = await take(journal, newShard());
      const second = await take(journal, first.shard);
      await rejects(t, append(journal, first, 1, ["stale"]), "fenced");
      await append(journal, second, 1, ["a"]);
      t.deepEqual(await replayed(journal, first.shard, 0), ["1:a"]);
    }),
  );

  test(
    "journal: an owner that opens its shard again during an append can continue at once, and the append is decided",
    withEngine(async (t, attach, newShard) => {
      const { journal } = await attach();
      let owner = await take(journal, newShard());
      for (let round = 0; round < 10; round++) {
        const outcome = append(journal, owner, owner.head + 1, [`old ${round}`]).then(
          () => "acknowledged",
          (error: unknown) => (error instanceof StorageError ? error.kind : String(error)),
        );
        const again = await take(journal, owner.shard);
        await append(journal, again, again.head + 1, [`new ${round}`]);
        const decided = await outcome;
        t.true(decided === "acknowledged" || decided === "fenced", decided);
        if (decided === "acknowledged") t.is(again.head, owner.head + 1);
        owner = { ...again, head: again.head + 1 };
      }
      t.is((await replayed(journal, owner.shard, 0)).length, owner.head);
    }),
  );

  test(
    "journal: a take-over during an append decides it: acknowledged means replayed, fenced means never acknowledged",
    withEngine(async (t, attach, newShard) => {
      const shard = newShard();
      let journal = (await attach()).journal;
      let owner = await take(journal, shard);
      const acknowledged: string[] = [];
      for (let round = 0; round < 20; round++) {
        const value = `v${round}`;
        const append_ = append(journal, owner, owner.head + 1, [value]).then(
          () => acknowledged.push(value),
          (error: unknown) => t.true(error instanceof StorageError && error.kind === "fenced", String(error)),
        );
        const next = (await attach()).journal;
        const [taken] = await Promise.all([take(next, shard), append_]);
        [journal, owner] = [next, taken];
      }
      const values = (await replayed(journal, shard, 0)).map((line) => line.split(":")[1]!);
      t.deepEqual(values, [...new Set(values)], "nothing twice");
      for (const value of acknowledged) t.true(values.includes(value), `${value} was acknowledged`);
    }),
  );

  test(
    "journal: an empty append only checks whether the shard is still owned",
    withEngine(async (t, attach, newShard) => {
      const old = (await attach()).journal;
      const before = await take(old, newShard());
      await append(old, before, 1, []);
      await append(old, before, 1, ["a"]);
      await append(old, before, 2, []);
      const fresh = (await attach()).journal;
      const after = await take(fresh, before.shard);
      t.is(after.head, 1);
      await rejects(t, append(old, before, 2, []), "fenced");
      await append(fresh, after, 2, []);
      t.deepEqual(await replayed(fresh, after.shard, 0), ["1:a"]);
    }),
  );

  test(
    "journal: a trim removes only entries that are in the tables, and the sequence goes on",
    withEngine(async (t, attach, newShard) => {
      const { journal, tables } = await attach();
      const owner = await take(journal, newShard());
      await append(journal, owner, 1, ["a", "b", "c"]);
      await tables.write([{ shard: owner.shard, deletedRanges: [], changes: [], watermark: 2 }]);
      await journal.trim(owner.shard, owner.epoch, 2);
      t.deepEqual(await replayed(journal, owner.shard, 2), ["3:c"]);
      await append(journal, owner, 4, ["d"]);
      const again = await take((await attach()).journal, owner.shard);
      t.is(again.head, 4);
    }),
  );

  test(
    "journal: a journal without entries keeps its head and its epoch",
    withEngine(async (t, attach, newShard) => {
      const { journal, tables } = await attach();
      const owner = await take(journal, newShard());
      await append(journal, owner, 1, ["a", "b"]);
      await tables.write([{ shard: owner.shard, deletedRanges: [], changes: [], watermark: 2 }]);
      await journal.trim(owner.shard, owner.epoch, 2);
      const fresh = (await attach()).journal;
      const after = await take(fresh, owner.shard);
      t.is(after.head, 2);
      await rejects(t, append(journal, owner, 3, ["stale"]), "fenced");
      await append(fresh, after, 3, ["c"]);
      t.deepEqual(await replayed(fresh, after.shard, 2), ["3:c"]);
    }),
  );

  test(
    "journal: an old owner cannot trim entries of its successor",
    withEngine(async (t, attach, newShard) => {
      const old = await attach();
      const before = await take(old.journal, newShard());
      await append(old.journal, before, 1, ["a"]);
      const fresh = (await attach()).journal;
      const after = await take(fresh, before.shard);
      await append(fresh, after, 2, ["b"]);
      await old.journal.trim(before.shard, before.epoch, 2).catch((error: unknown) => {
        t.true(error instanceof StorageError && error.kind === "fenced");
      });
      t.deepEqual(await replayed(fresh, after.shard, 0), ["1:a", "2:b"]);
    }),
  );
}

export async function take(journal: Journal, shard: number, view = 1): Promise<OpenedShard> {
  const [opened] = await journal.open([shard], view);
  return opened!;
}

export function append(
  journal: Journal,
  owner: OpenedShard,
  firstSeq: number,
  entries: readonly string[],
): Promise<void> {
  const { shard, epoch } = owner;
  return journal.append({ shard, epoch, firstSeq, entries: entries.map(bytesOf) });
}

export async function replayed(journal: Journal, shard: number, after: number): Promise<string[]> {
  const lines: string[] = [];
  for await (const { seq, bytes } of journal.replay(shard, after)) lines.push(`${seq}:${textOf(bytes)}`);
  return lines;
}

export async function rejects(t: ExecutionContext, promise: Promise<unknown>, kind: StorageErrorKind) {
  const error = await t.throwsAsync(promise, { instanceOf: StorageError });
  t.is(error?.kind, kind, error?.message);
}
