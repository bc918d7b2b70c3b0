/** One byte of the tables' file changes, in pages that hold the structure and not the rows: no read answers wrongly. */
import { closeSync, existsSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import test from "ava";
import { Random } from "#base";
import { type Storage, StorageError, startStorage, verifyData } from "#storage";
import { copyData, dropEntries, inFolder, journalUpTo, session } from "../../test/support/embedded.ts";
import { take } from "../journal.cases.ts";
import { drop, flush, put } from "../tables.cases.ts";
import { pageBytes } from "./pages.ts";
import { checkTables, whyUnusable } from "./tables-check.ts";

const shards = [1, 2, 3, 200];
const rowCount = 700;
const flips = 160;
const random = new Random("corrupt pages");

/** What every row must read as; by shard and key. */
type Rows = ReadonlyMap<number, Map<string, string>>;

async function fill(dir: string): Promise<Rows> {
  const rows: Rows = new Map(shards.map((shard) => [shard, new Map<string, string>()]));
  await session(dir, async ({ journal, tables }) => {
    for (const shard of shards) await journalUpTo(journal, shard, 4);
    for (let round = 1; round <= 4; round++)
      for (const [shard, truth] of rows) {
        const changes = Array.from({ length: rowCount / 2 }, () => {
          const key = `${"item".repeat(20)}${String(random.int(rowCount)).padStart(8, "0")}`;
          const value = `${shard}.${round}.`.repeat(random.int(40) === 0 ? 1_500 : 10 + random.int(30));
          // Deletes leave pages in the list of free pages.
          const isDeleted = round === 3 && random.int(3) === 0;
          if (isDeleted) truth.delete(key);
          else truth.set(key, value);
          return isDeleted ? drop(key, round) : put(key, value, round);
        });
        const last = new Map(changes.map((change) => [change.key, change]));
        await tables.write([flush(shard, round, [...last.values()])]);
      }
  });
  await dropEntries(dir);
  return rows;
}

/** Answers that are not what was written. A read that is refused is none. */
async function wrongAnswers({ tables }: Storage, rows: Rows): Promise<{ wrong: string[]; refused: number }> {
  const wrong: string[] = [];
  let refused = 0;
  const look = async (what: string, read: () => Promise<unknown>, truth: unknown) => {
    try {
      if (JSON.stringify(await read()) !== JSON.stringify(truth)) wrong.push(what);
    } catch (error) {
      if ((error as StorageError).kind !== "corrupt") throw error;
      refused++;
    }
  };
  for (const [shard, truth] of rows) {
    const scan = async (reverse: boolean) => {
      const found = await tables.scan({ shard, partition: "p", limit: 10_000, reverse });
      return found.map(({ key, value }) => [key, Buffer.from(value).toString()]);
    };
    const sorted = [...truth].sort(([a], [b]) => (a < b ? -1 : 1));
    await look(`shard ${shard}`, () => scan(false), sorted);
    await look(`shard ${shard} in reverse`, () => scan(true), sorted.toReversed());
    for (let number = 0; number < rowCount; number++) {
      const key = `${"item".repeat(20)}${String(number).padStart(8, "0")}`;
      const get = async () => {
        const value = await tables.get({ shard, partition: "p", key });
        return value && Buffer.from(value).toString();
      };
      await look(`${key} of shard ${shard}`, get, truth.get(key));
    }
  }
  return { wrong, refused };
}

/** Offsets in meta, branch, leaf and overflow pages in turn: in their headers, their lists of entries and the heads of entries. */
function targets(bytes: Buffer): number[] {
  const kindOf = (page: number) => bytes.readUInt16LE(page * pageBytes + 18);
  const pages = usedPages(bytes);
  const lists = [...new Set(pages.map(kindOf))].map((kind) => pages.filter((page) => kindOf(page) === kind));
  return Array.from({ length: flips }, (_, n) => {
    const pagesOfKind = lists[n % lists.length]!;
    const at = pagesOfKind[random.int(pagesOfKind.length)]! * pageBytes;
    const isMeta = at < 2 * pageBytes;
    if (isMeta || random.int(3) === 0) return at + random.int(isMeta ? 168 : 24);
    const entries = Math.max(1, Math.min(100, bytes.readUInt16LE(at + 20) >> 1));
    const entry = 24 + random.int(entries) * 2;
    if (random.int(3) === 0) return at + entry + random.int(2);
    return Math.min(at + 24 + bytes.readUInt16LE(at + entry) + random.int(40), bytes.length - 1);
  });
}

function newerMeta(bytes: Buffer): number {
  return bytes.readBigUInt64LE(152) > bytes.readBigUInt64LE(pageBytes + 152) ? 0 : pageBytes;
}

/** Both meta pages, and what the newer one leads to. */
function usedPages(bytes: Buffer): number[] {
  const meta = newerMeta(bytes);
  const pages = [0, 1, ...[88, 136].map((root) => Number(bytes.readBigUInt64LE(meta + root)))];
  for (let next = 2; next < pages.length; next++) {
    const at = pages[next]! * pageBytes;
    const kind = bytes.readUInt16LE(at + 18);
    for (let entry = 0; kind < 4 && entry < bytes.readUInt16LE(at + 20); entry += 2) {
      const node = at + 24 + bytes.readUInt16LE(at + 24 + entry);
      if (kind === 1) pages.push(bytes.readUInt32LE(node));
      else if (bytes.readUInt16LE(node + 4) === 1)
        pages.push(bytes.readUInt32LE(node + 8 + bytes.readUInt16LE(node + 6)));
    }
  }
  return pages;
}

test.serial(
  `given one changed byte in an inner page (${flips} times), then verify and the start find it, or every read is right`,
  inFolder(async (t, dir) => {
    const [base, work] = [join(dir, "base"), join(dir, "work")];
    const rows = await fill(base);
    const path = join(base, "tables", "data.mdb");
    const bytes = readFileSync(path);
    const file = openSync(path, "r+");
    t.teardown(() => closeSync(file));
    let [harmless, found] = [0, 0];
    for (const at of targets(bytes)) {
      const changed = bytes[at]! ^ (1 + random.int(255));
      writeSync(file, Buffer.of(changed), 0, 1, at);
      const name = `offset ${at}: ${bytes[at]} became ${changed}`;
      const { sound, findings } = await verifyData({ engine: "embedded", dir: base });
      await copyData(base, work);
      const answers = await session(work, async (storage) => {
        const first = await wrongAnswers(storage, rows);
        if (!sound) return first;
        // Corrupt lists of free pages would show when pages are used again.
        const more = shards.map((shard) => flush(shard, 5, [put("more", "v".repeat(9_000), 5)]));
        await storage.tables.write(more);
        await storage.tables.write(shards.map((shard) => flush(shard, 6, [drop("more", 6)])));
        const then = await wrongAnswers(storage, rows);
        return { wrong: [...first.wrong, ...then.wrong], refused: first.refused + then.refused };
      }).catch((error: StorageError) => error);
      if (answers instanceof StorageError) t.is(answers.kind, "corrupt", name);
      else t.deepEqual(answers.wrong, [], name);
      const isFound = answers instanceof StorageError || ("refused" in answers && answers.refused > 0);
      t.is(isFound, !sound, `${name}: ${findings.join("\n")}`);
      if (sound) harmless++;
      else found++;
      await rm(work, { recursive: true });
      writeSync(file, bytes, at, 1, at);
    }
    t.true(found > flips / 3 && harmless > 0, `${found} found, ${harmless} harmless`);
    t.log(`${found} found, ${harmless} harmless`);
  }),
);

test.serial(
  "given tables after random writes, deletes and range deletes, then nothing is found to be wrong with them",
  inFolder(async (t, dir) => {
    let sequence = 0;
    for (let open = 0; open < 3; open++)
      await session(dir, async ({ journal, tables }) => {
        for (const shard of shards) await journalUpTo(journal, shard, sequence + 60);
        for (let round = 0; round < 15; round++) {
          const writes = Array.from({ length: 1 + random.int(4) }, () => {
            sequence++;
            const from = random.int(5_000);
            const changes = Array.from({ length: 1 + random.int(400) }, (_, n) => {
              const key = `k${String(from + n * random.int(9)).padStart(8, "0")}`;
              const value = "v".repeat(random.int(30) === 0 ? random.int(30_000) : random.int(400));
              return random.int(4) === 0 ? drop(key, sequence) : put(key, value, sequence);
            });
            const range = {
              partition: "p",
              from: `k${String(random.int(5_000)).padStart(8, "0")}`,
              seq: sequence,
            };
            const deletedRanges = random.int(6) === 0 ? [range] : [];
            const shard = shards[random.int(shards.length)]!;
            return tables.write([{ ...flush(shard, sequence, changes), deletedRanges }]);
          });
          await Promise.all(writes);
          const check = await checkTables(join(dir, "tables"), true);
          t.is(whyUnusable("tables", check), undefined);
          t.is(check.badRows.size, 0);
        }
      });
    t.true((await verifyData({ engine: "embedded", dir })).sound);
  }),
);

test.serial(
  "given a page of rows as it was before the last write, then verify and the start name the shard",
  inFolder(async (t, dir) => {
    const path = join(dir, "tables", "data.mdb");
    const write = (sequence: number, value: string) =>
      session(dir, async ({ journal, tables }) => {
        await journalUpTo(journal, 1, sequence);
        await tables.write([flush(1, sequence, [put("a", value, sequence), put("b", "same", sequence)])]);
      });
    await write(1, "first");
    await write(2, "other");
    await dropEntries(dir);
    const bytes = readFileSync(path);
    // The row as it was, with a checksum that matches: only the sum over all rows shows it.
    const row = bytes.indexOf("first");
    bytes.copy(bytes, bytes.lastIndexOf("other"), row, row + 9);
    writeFileSync(path, bytes);
    const message = /the rows of shard 1 are not those that were written last/;
    const { sound, findings } = await verifyData({ engine: "embedded", dir });
    t.false(sound);
    t.regex(findings.join("\n"), message);
    const error = await t.throwsAsync(startStorage({ engine: "embedded", dir }), { message });
    t.is((error as StorageError).kind, "corrupt");
  }),
);

test.serial(
  "given corrupt tables and a journal with every entry, then a start rebuilds them; given a journal without, it is refused",
  inFolder(async (t, dir) => {
    const path = join(dir, "tables", "data.mdb");
    await session(dir, async ({ journal, tables }) => {
      await journalUpTo(journal, 1, 3);
      await tables.write([flush(1, 2, [put("k", "value", 2)])]);
    });
    const corruption = () => writeFileSync(path, readFileSync(path).fill(0xff, 2 * pageBytes));
    corruption();
    await session(dir, async ({ journal, tables }, _host, log) => {
      t.regex(log.join("\n"), /is corrupt at offset \d+: .*; the tables are rebuilt from the journal/);
      t.true(existsSync(join(dir, "tables.corrupt", "data.mdb")));
      t.is(await tables.watermark(1), 0);
      t.is((await take(journal, 1)).head, 3);
      const replayed = [];
      for await (const { seq } of journal.replay(1, 0)) replayed.push(seq);
      t.deepEqual(replayed, [1, 2, 3]);
      await tables.write([flush(1, 3, [put("k", "value", 3)])]);
    });
    t.true((await verifyData({ engine: "embedded", dir })).sound);
    await dropEntries(dir);
    corruption();
    await t.throwsAsync(startStorage({ engine: "embedded", dir }), { message: /is corrupt at offset/ });
  }),
);

test("the documents name the folder of corrupt tables as a start makes it", (t) => {
  for (const page of ["storage.md", "operations.md"]) {
    const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), "utf8");
    t.true(text.includes("`tables.corrupt/`"), page);
    t.false(text.includes("tables.damaged"), page);
  }
});

test.serial(
  "given a branch page that changes while the service runs, then a scan that meets rows out of order is refused",
  inFolder(async (t, dir) => {
    const path = join(dir, "tables", "data.mdb");
    await session(dir, async ({ journal, tables }) => {
      await journalUpTo(journal, 1, 1);
      const rows = Array.from({ length: 100 }, (_, n) => put(`k${n + 100}`, "v".repeat(400), 1));
      await tables.write([flush(1, 1, rows)]);
      const bytes = readFileSync(path);
      const root = Number(bytes.readBigUInt64LE(newerMeta(bytes) + 136)) * pageBytes;
      const file = openSync(path, "r+");
      // The second and the third entry of the root change places.
      const pointers = [bytes.subarray(root + 28, root + 30), bytes.subarray(root + 26, root + 28)];
      writeSync(file, Buffer.concat(pointers), 0, 4, root + 26);
      closeSync(file);
      for (const reverse of [false, true]) {
        const error = await t.throwsAsync(tables.scan({ shard: 1, partition: "p", limit: 1_000, reverse }));
        t.is((error as StorageError).kind, "corrupt");
        t.regex(error.message, /the rows of shard 1 cannot be read: .* is out of order/);
      }
    });
  }),
);
