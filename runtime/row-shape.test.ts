/** Rows and entries of other builds: older ones are read, newer ones are refused and stay as they are. */
import test from "ava";
import type { MemoryStore } from "../storage/memory/index.ts";
import { type Fixture, startFixture } from "../test/support/runtime/fixture.ts";
import { cover, notebook } from "../test/support/runtime/notebook.ts";
import type { AnyActorDefinition } from "./actor.ts";
import type { ShapeStep } from "./row-shape.ts";
import { unpackValue } from "./shard/codec.ts";
import { decodeEntry, writeDecision, writeRow } from "./shard/entry.ts";
import { keyOf, shardPartition } from "./shard/partition.ts";
import { Writer } from "./shard/writer.ts";
import { Written } from "./shard/written.ts";

interface Line {
  readonly amount: number;
  readonly text: string;
}

/** From this format on the texts of lines end with a further word. */
function longer(format: number, word: string): ShapeStep {
  const ending = `, ${word}`;
  return {
    format,
    up: (value) => ({ ...(value as Line), text: `${(value as Line).text}${ending}` }),
    down: (value) => ({ ...(value as Line), text: (value as Line).text.replace(ending, "") }),
  };
}

const with2 = { 1: longer(2, "second") };
const with3 = { ...with2, 2: longer(3, "third") };
const same: ShapeStep = { format: 2, up: (value) => value, down: (value) => value };

function build(shapeSteps: NonNullable<AnyActorDefinition["shapeSteps"]>): {
  definitions: AnyActorDefinition[];
} {
  return { definitions: [{ ...notebook, shapeSteps }, cover] };
}

/** The version byte of every stored row of a collection, by the last number of its key. */
function versions({ store }: Fixture, collection: string): number[] {
  const found = [...store.partitions].find(([name]) => name.includes(`\x02${collection}\0`))!;
  return found[1].keys.map((key) => found[1].values.get(key)![0]!);
}

for (const stored of [true, false])
  test(`rows of version 1 ${stored ? "in the tables" : "in the journal"}: a build with two steps reads them in its own shape, and stores what changes in it`, async (t) => {
    const first = await startFixture();
    await first.ask({ type: "add", amount: 1, text: "one" });
    await first.ask({ type: "add", amount: 2, text: "two" });
    if (stored) await first.world.advance(1_000);
    const second = await first.restart(build({ lines: with2 }));
    await second.ask({ type: "add", amount: 3, text: "three" });
    if (stored) await second.world.advance(1_000);
    const third = await second.restart(
      build({ lines: with3, head: { 1: { ...same, up: (value) => ({ ...(value as object), sum: 100 }) } } }),
    );
    t.like(await third.ask({ type: "line", number: 1 }), {
      response: { amount: 1, text: "one, second, third" },
    });
    t.like(await third.ask({ type: "line", number: 3 }), { response: { text: "three, third" } });
    t.like(await third.ask({ type: "tail", limit: 10 }), { response: [3, 2, 1] });
    // Resident rows, too.
    t.like(await third.ask({ type: "read" }), { response: { sum: 100 } });
    t.like(await third.ask({ type: "add", amount: 4, text: "four" }), { response: { sum: 104 } });
    t.like(await third.ask({ type: "line", number: 4 }), { response: { text: "four" } });
    await third.world.advance(1_000);
    t.deepEqual(versions(third, "lines"), [1, 1, 2, 3]);
    t.deepEqual(versions(third, "head"), [2]);
  });

test("a range over rows of several versions gives each in today's shape", async (t) => {
  const seen: string[] = [];
  const first = await startFixture();
  for (let n = 0; n < 20; n++) await first.ask({ type: "add", amount: n, text: `${n}` });
  const second = await first.restart(build({ lines: with2 }));
  for (let n = 20; n < 40; n++) await second.ask({ type: "add", amount: n, text: `${n}` });
  const looking: AnyActorDefinition = {
    ...notebook,
    shapeSteps: { lines: with3 },
    decide(state, command, context) {
      const rows = context.range({ collection: "lines", limit: 100, reverse: true });
      for (const row of rows ?? []) seen.push((row.value as Line).text);
      return notebook.decide(state, command, context);
    },
  };
  const third = await second.restart({ definitions: [looking, cover] });
  await third.ask({ type: "tail", limit: 100 });
  const expected = (n: number) => (n < 20 ? `${n}, second, third` : `${n}, third`);
  t.deepEqual(seen.reverse(), [...Array(40).keys()].map(expected));
});

test("a store that nodes of two versions share: rows have the shape of the format in use, which both read", async (t) => {
  let usedFormat = 2;
  const newer = await startFixture({ ...build({ lines: with3 }), usedFormat: () => usedFormat });
  const add = (fixture: Fixture, amount: number) =>
    fixture.ask({ type: "add", amount, text: `${amount}, second, third` });
  const text = async (fixture: Fixture, number: number) =>
    ((await fixture.ask({ type: "line", number })) as { response: Line }).response.text;
  await add(newer, 1);
  t.is(await text(newer, 1), "1, second, third", "it reads what it has written");
  const older = await newer.restart({ ...build({ lines: with2 }), usedFormat: () => 2 });
  t.is(await text(older, 1), "1, second");
  await older.world.advance(1_000);
  const again = await older.restart({ ...build({ lines: with3 }), usedFormat: () => usedFormat });
  await add(again, 2);
  usedFormat = 3;
  await add(again, 3);
  for (const number of [1, 2, 3]) t.is(await text(again, number), `${number}, second, third`);
  await again.world.advance(1_000);
  t.deepEqual(versions(again, "lines"), [2, 2, 3]);
});

test("rows of a later build: their entity is refused, its neighbours go on, and nothing is changed", async (t) => {
  const first = await startFixture(build({ lines: with2, head: { 1: same } }));
  await first.ask({ type: "add", amount: 1 }, { key: "a" });
  await first.world.advance(1_000);
  const before = contentOf(first.store);
  const told: string[] = [];
  const logger = {
    ...silent,
    error: (fields: object) => told.push(String((fields as { err?: unknown }).err)),
  };
  const second = await first.restart({ definitions: [notebook, cover], logger });
  t.like(await second.ask({ type: "add", amount: 5 }, { key: "a" }), { code: "UNAVAILABLE" });
  t.like(await second.ask({ type: "add", amount: 5 }, { key: "b" }), { response: { sum: 5 } });
  t.true(told.some((text) => /collection head has version 2, this build reads versions up to 1/.test(text)));
  await second.world.advance(1_000);
  for (const [name, rows] of before) t.deepEqual(contentOf(second.store).get(name), rows);
});

test("a journal entry of a later build ends the start, which says its version and changes nothing", async (t) => {
  const first = await startFixture();
  await first.ask({ type: "add", amount: 1 });
  const shard = [...first.store.shards.values()].find(({ entries }) => entries.length > 0)!;
  shard.entries[0] = Buffer.from(shard.entries[0]!);
  shard.entries[0]![shard.entries[0]!.length - 1] = 2;
  const before = Buffer.from(shard.entries[0]!);
  await t.throwsAsync(first.restart(), {
    message: /a journal entry has version 2, this build reads version 1: start the build that wrote it/,
  });
  t.deepEqual(Buffer.from(shard.entries[0]!), before);
});

test("steps with a gap end the start", async (t) => {
  await t.throwsAsync(startFixture(build({ lines: { 2: same } })), {
    message: /notebook.lines has steps from the versions 2, and none from 1/,
  });
});

test("one list in rows of two collections, of two versions: each row has the version of its own", (t) => {
  const writer = new Writer();
  const written = new Written();
  writer.begin();
  const newer = { ...shardPartition("newer"), steps: [same] };
  const list = ["a", "b"];
  writeRow(writer, written, shardPartition("older"), keyOf(["a"]), list);
  writeRow(writer, written, newer, keyOf(["a"]), list);
  writeDecision(writer, written, { now: 1, address: undefined, steps: [] });
  const { bytes, changes } = decodeEntry(writer.end());
  const shapes = [shardPartition("older"), newer];
  for (const [index, change] of changes.entries())
    if (change.type === "row") {
      t.is(bytes[change.start], index + 1);
      t.deepEqual(unpackValue(bytes.subarray(change.start, change.end), shapes[index]!), list);
    }
});

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

function contentOf(store: MemoryStore): Map<string, unknown> {
  return new Map([...store.partitions].map(([name, { values }]) => [name, [...values].map(String)]));
}
