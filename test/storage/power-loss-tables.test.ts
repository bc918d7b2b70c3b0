/**
 * A simulated power loss for the tables. LMDB writes the pages of a transaction, syncs them, then writes the meta page
 * through a file opened with O_DSYNC (seen in a system-call trace). So a lost transaction is any subset of its pages
 * without the meta page; with the meta page, all its pages are there.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { Random } from "#base";
import { openEnvironment } from "../../storage/embedded/environment.ts";

const pageBytes = 4_096;
const metaPages = 2;

interface Snapshot {
  readonly file: Buffer;
  readonly rows: ReadonlyMap<string, string>;
}

/** Commits transactions of puts and deletes; records after each the file and the rows it must hold. */
async function transactions(dir: string, seed: number, count: number): Promise<Snapshot[]> {
  const random = new Random(seed);
  const database = openEnvironment(dir);
  const rows = new Map<string, string>();
  const snapshots: Snapshot[] = [];
  for (let number = 0; number < count; number++) {
    database.transactionSync(() => {
      for (let change = 0; change < 20 + random.int(150); change++) {
        const key = `row-${random.int(600)}`;
        if (random.chance(0.25)) {
          database.removeSync(key);
          rows.delete(key);
        } else {
          const value = `${number}.${"v".repeat(random.int(random.chance(0.05) ? 9_000 : 300))}`;
          database.putSync(key, Buffer.from(value));
          rows.set(key, value);
        }
      }
    });
    snapshots.push({ file: await readFile(join(dir, "data.mdb")), rows: new Map(rows) });
  }
  await database.close();
  return snapshots;
}

/** The file before the transaction, with some of the pages that it wrote. */
function lostTransaction(before: Buffer, after: Buffer, random: Random): Buffer {
  const image = Buffer.alloc(random.chance(0.5) ? after.length : before.length);
  before.copy(image);
  const share = random.float();
  for (let page = metaPages; (page + 1) * pageBytes <= image.length; page++) {
    const [from, to] = [page * pageBytes, (page + 1) * pageBytes];
    if (!random.chance(share)) after.copy(image, from, from, to);
  }
  return image;
}

async function readAll(dir: string): Promise<[string, string][]> {
  const database = openEnvironment(dir);
  const rows = [...database.getRange({ start: "" })].map(({ key, value }): [string, string] => [
    key,
    `${value}`,
  ]);
  await database.close();
  return rows;
}

function sorted(rows: Iterable<readonly [string, string]>): (readonly [string, string])[] {
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1));
}

test("power loss during a transaction of the tables, 200 disk images: the rows of the last finished transaction are there, and writes go on", async (t) => {
  let images = 0;
  for (let seed = 1; images < 200; seed++) {
    const dir = await mkdtemp(join(tmpdir(), "switchyard.tables-"));
    const snapshots = await transactions(dir, seed, 14);
    const random = new Random(seed + 1_000);
    for (let at = 1; at < snapshots.length && images < 200; at++, images++) {
      const [before, after] = [snapshots[at - 1]!, snapshots[at]!];
      const image = join(dir, `image.${at}`);
      await mkdir(image);
      await writeFile(join(image, "data.mdb"), lostTransaction(before.file, after.file, random));
      t.deepEqual(await readAll(image), sorted(before.rows));
      const database = openEnvironment(image);
      database.transactionSync(() => database.putSync("after", Buffer.from("all")));
      await database.close();
      t.deepEqual(await readAll(image), sorted([...before.rows, ["after", "all"]]));
      await rm(image, { recursive: true });
    }
    t.deepEqual(await readAll(dir), sorted(snapshots.at(-1)!.rows));
    await rm(dir, { recursive: true });
  }
  t.is(images, 200);
});
