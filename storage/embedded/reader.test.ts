import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { append } from "../journal.cases.ts";
import type { Journal, JournalEntry } from "../journal.ts";
import { JournalFolder } from "./journal-folder.cases.ts";
import { JournalReader } from "./reader.ts";

/** Shard 1 with these entries, one after the other, and a reader of its files. */
async function written(t: ExecutionContext, segmentBytes: number, ...entries: string[]) {
  const folder = await JournalFolder.make();
  t.teardown(() => folder.remove());
  folder.segmentBytes = segmentBytes;
  const writer = folder.writer();
  const owner = folder.open(writer, 1);
  let head = 0;
  const add = (entry: string) => append(writer as unknown as Journal, owner, ++head, [entry]);
  for (const entry of entries) await add(entry);
  const paths = async () => (await readdir(folder.dir)).sort().map((name) => join(folder.dir, name));
  const { epochs, heads } = folder.generation;
  const files = async (shard: number) => ({
    paths: await paths(),
    opened: { epoch: epochs[shard]!, head: heads[shard]! },
  });
  return { folder, writer, add, paths, reader: new JournalReader(files, folder.fence) };
}

async function texts(entries: AsyncIterable<JournalEntry>): Promise<string[]> {
  const found: string[] = [];
  for await (const { seq, bytes } of entries) found.push(`${seq}:${Buffer.from(bytes).toString("latin1")}`);
  return found;
}

test("an entry was appended after the files were indexed: they are indexed again, and the entry is found", async (t) => {
  const { folder, writer, add, reader } = await written(t, 64 * 1_024, "a");
  t.deepEqual(await texts(reader.replay(1, 0)), ["1:a"]);
  await add("b");
  folder.open(writer, 1);
  t.deepEqual(await texts(reader.replay(1, 0)), ["1:a", "2:b"]);
  await writer.close();
});

test("a segment is gone when it is to be read: the error says so, and no file is closed twice", async (t) => {
  // One entry a segment.
  const { writer, paths, reader } = await written(t, 8 * 1_024, "x".repeat(3_000), "y".repeat(3_000));
  const entries = reader.replay(1, 0)[Symbol.asyncIterator]();
  t.like(await entries.next(), { value: { seq: 1 } });
  await rm((await paths())[1]!);
  await t.throwsAsync(async () => void (await entries.next()), { code: "ENOENT" });
  await writer.close();
});
