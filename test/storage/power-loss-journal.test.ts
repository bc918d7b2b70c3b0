/**
 * A simulated power loss for the journal: of the bytes that were not synced, a random set of 4 KiB pages reaches the
 * disk.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import test from "ava";
import { Random } from "#base";
import { createGeneration, readGeneration, writeGeneration } from "../../storage/embedded/generation.ts";
import { openJournalFile } from "../../storage/embedded/journal-file.ts";
import { JournalFolder, recovered } from "../../storage/embedded/journal-folder.cases.ts";

const pageBytes = 4_096;
const shards = [0, 1, 2, 3, 4];

/** One synced write of the journal: its place, its bytes, and the entries acknowledged before it began. */
interface Recorded {
  readonly path: string;
  readonly offset: number;
  readonly bytes: Buffer;
  readonly acknowledgedBefore: ReadonlySet<string>;
}

/** Runs a workload of several shards, with take-overs and several segments, and records every write. */
async function record(folder: JournalFolder, seed: number) {
  const random = new Random(seed);
  const writes: Recorded[] = [];
  const fresh = new Map<string, Buffer>();
  const acknowledged = new Set<string>();
  const attempted = new Set<string>();
  folder.segmentBytes = 48 * 1_024;
  const writer = folder.writer((path) => {
    const file = openJournalFile(path);
    return {
      ...file,
      write: (bytes, length, offset, done) => {
        const copy = Buffer.from(bytes.subarray(0, length));
        writes.push({ path, offset, bytes: copy, acknowledgedBefore: new Set(acknowledged) });
        file.write(bytes, length, offset, done);
      },
    };
  });
  const owners = shards.map((shard) => folder.open(writer, shard));
  const heads = new Map(shards.map((shard) => [shard, 0]));
  for (let round = 0; round < 12; round++) {
    await Promise.all(
      shards.map(async (shard) => {
        if (random.chance(0.3)) return;
        const firstSeq = heads.get(shard)! + 1;
        const entries = Array.from({ length: 1 + random.int(3) }, (_, i) =>
          Buffer.from(`${shard}.${firstSeq + i}.${"x".repeat(random.int(4_000))}`),
        );
        const names = entries.map((entry, i) => `${shard}/${firstSeq + i}:${entry}`);
        for (const name of names) attempted.add(name);
        await writer.append({ shard, epoch: owners[shard]!.epoch, firstSeq, entries });
        heads.set(shard, firstSeq + entries.length - 1);
        for (const name of names) acknowledged.add(name);
      }),
    );
    if (random.chance(0.3)) {
      const shard = random.pick(shards);
      owners[shard] = folder.open(writer, shard);
    }
  }
  await writer.close();
  for (const { path } of writes) if (!fresh.has(path)) fresh.set(path, await emptySegment(path));
  return { writes, fresh, attempted };
}

/** The file as it was granted: its header, then zeros. */
async function emptySegment(path: string): Promise<Buffer> {
  const bytes = await readFile(path);
  return bytes.fill(0, pageBytes);
}

/** The files as they may be on disk if the power fails during write number `at`. */
function imageAt(
  writes: readonly Recorded[],
  fresh: ReadonlyMap<string, Buffer>,
  at: number,
  random: Random,
) {
  const files = new Map<string, Buffer>();
  const fileOf = (path: string) => {
    if (!files.has(path)) files.set(path, Buffer.from(fresh.get(path)!));
    return files.get(path)!;
  };
  for (const { path, offset, bytes } of writes.slice(0, at)) fileOf(path).set(bytes, offset);
  const { path, offset, bytes } = writes[at]!;
  const file = fileOf(path);
  let kept = 0;
  for (let page = Math.floor(offset / pageBytes); page * pageBytes < offset + bytes.length; page++) {
    if (random.chance(0.5)) continue;
    kept++;
    const from = Math.max(page * pageBytes, offset);
    const to = Math.min((page + 1) * pageBytes, offset + bytes.length);
    bytes.copy(file, from, from - offset, to - offset);
  }
  return { files, kept };
}

test("power loss in the middle of a frame, 200 disk images: every acknowledged entry is stored, and every stored entry was written", async (t) => {
  let images = 0;
  let torn = 0;
  for (let seed = 1; images < 200; seed++) {
    const folder = await JournalFolder.make();
    const { writes, fresh, attempted } = await record(folder, seed);
    const random = new Random(seed + 1_000);
    for (let at = 0; at < writes.length && images < 200; at++, images++) {
      const { files } = imageAt(writes, fresh, at, random);
      const dir = await mkdtemp(join(tmpdir(), "switchyard.image-"));
      for (const [path, bytes] of files) await writeFile(join(dir, basename(path)), bytes);
      // The generation file says which epochs opened the shards; an open after this write is not in it yet.
      const generation = {
        ...folder.generation,
        epochs: new Float64Array(256),
        heads: new Float64Array(256),
      };
      const found = await recovered(dir, generation, shards);
      const there = new Set(found);
      for (const name of writes[at]!.acknowledgedBefore) t.true(there.has(name), `${name} was acknowledged`);
      for (const name of found) t.true(attempted.has(name), `${name} was written`);
      if (there.size === writes[at]!.acknowledgedBefore.size) torn++;
      t.deepEqual(await recovered(dir, generation, shards), found, "a second start finds the same");
      await rm(dir, { recursive: true });
    }
    await folder.remove();
  }
  t.is(images, 200);
  t.true(torn > 20 && torn < 200, `${torn} of 200 images had lost the frame`);
});

test("power loss while the generation file is written: it has the owners before or after the write, never others", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "switchyard.generation-"));
  const path = join(dir, "generation");
  const generation = await createGeneration(path);
  for (let number = 1; number <= 6; number++) {
    const before = await readFile(path);
    generation.number = number;
    generation.epochs[number] = number;
    generation.heads[number] = number * 100;
    await writeGeneration(path, generation);
    const after = await readFile(path);
    const changed = [...pagesThatDiffer(before, after)];
    t.is(changed.length, 2, "a slot without segments has two pages");
    for (let pages = 0; pages < 4; pages++) {
      const image = Buffer.from(before);
      for (const [i, page] of changed.entries())
        if (pages & (1 << i)) after.copy(image, page * pageBytes, page * pageBytes, (page + 1) * pageBytes);
      const folder = join(dir, "image");
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, "generation"), image);
      const read = (await readGeneration(join(folder, "generation"))).generation;
      t.true(read.number === number || read.number === number - 1);
      t.is(read.heads[read.number], read.number * 100);
      t.is(read.heads[read.number + 1], 0);
    }
  }
  await rm(dir, { recursive: true });
});

function* pagesThatDiffer(a: Buffer, b: Buffer): Iterable<number> {
  for (let page = 0; page * pageBytes < a.length; page++) {
    const [from, to] = [page * pageBytes, (page + 1) * pageBytes];
    if (!a.subarray(from, to).equals(b.subarray(from, to))) yield page;
  }
}
