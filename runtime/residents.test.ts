import test from "ava";
import { limits } from "#base";
import { type Fixture, ManualWorld, startFixture } from "../test/support/runtime/fixture.ts";
import { cover, type NotebookCommand, notebook } from "../test/support/runtime/notebook.ts";
import { defineActor } from "./actor.ts";

/** A notebook and its cover, empty. */
const cellBytes = 2 * limits.residentEntityBytes;

async function fill(fixture: Fixture, cells: number): Promise<void> {
  for (let i = 0; i < cells; i++) await fixture.ask({ type: "add", amount: 1 }, { key: `k${i}` });
}

async function residentCells({ runtime }: Fixture): Promise<number> {
  return (await runtime.stats())[0]!.residentCells;
}

test("over the bound in bytes idle entities are evicted, and come back from their rows", async (t) => {
  const fixture = await startFixture({ limits: { residentBytesMax: 10 * cellBytes } });
  await fill(fixture, 50);
  t.true((await residentCells(fixture)) <= 11, `${await residentCells(fixture)}`);
  for (let i = 0; i < 50; i++)
    t.like(await fixture.ask({ type: "read" }, { key: `k${i}` }), { response: { sum: 1 } });
});

/** Keeps one text, and says how long it is if told to. */
const pageOf = (tells: boolean, restMs?: number) =>
  defineActor<{ text: string }, NotebookCommand, string>({
    kind: "notebook",
    placement: "key",
    empty: () => ({ text: "" }),
    resident: ["text"],
    restore: (state, { value }) => void Object.assign(state, { text: value }),
    decide: (_, { type }) => ({ events: type === "add" ? ["x".repeat(20_000)] : [] }),
    apply(state, text, rows) {
      state.text = text;
      rows.put("text", [], text);
    },
    ...(tells && { bytesOf: ({ text }) => text.length }),
    ...(restMs !== undefined && { restMs }),
    methods: {
      "Notebook.Do": {
        command: (request) => (request as { command: NotebookCommand }).command,
        respond: () => null,
      },
    },
  });

test("large entities are evicted sooner: by the rows they were read from", async (t) => {
  const definitions = [pageOf(false)];
  const first = await startFixture({ definitions });
  await fill(first, 20);
  await first.world.advance(1_000);
  const second = await first.restart({ definitions, limits: { residentBytesMax: 400_000 } });
  for (let i = 0; i < 20; i++) await second.ask({ type: "read" }, { key: `k${i}` });
  t.true((await residentCells(second)) <= 7, `${await residentCells(second)}`);
});

test("large entities are evicted sooner: by what their module says, once they have grown", async (t) => {
  const fixture = await startFixture({ definitions: [pageOf(true)], limits: { residentBytesMax: 250_000 } });
  await fill(fixture, 20);
  await fixture.world.advance(3_000);
  t.true((await residentCells(fixture)) <= 10, `${await residentCells(fixture)}`);
});

test("a heap near its limit: idle entities are evicted second by second; with room again they stay", async (t) => {
  const world = new ManualWorld();
  const heap = { usedBytes: 10_000_000, limitBytes: 100_000_000 };
  world.heap = () => heap;
  const fixture = await startFixture({}, world);
  await fill(fixture, 100);
  await world.advance(5_000);
  t.is(await residentCells(fixture), 100);
  heap.usedBytes = 80_000_000;
  await world.advance(5_000);
  t.true((await residentCells(fixture)) < 40, `${await residentCells(fixture)}`);
  heap.usedBytes = 10_000_000;
  await world.advance(2_000);
  await fill(fixture, 100);
  await world.advance(2_000);
  t.is(await residentCells(fixture), 100);
});

test("a heap bounds its entities by a share of its limit", async (t) => {
  const world = new ManualWorld();
  world.heap = () => ({ usedBytes: 0, limitBytes: (10 * cellBytes) / limits.residentHeapShareMax });
  const fixture = await startFixture({}, world);
  await fill(fixture, 50);
  t.true((await residentCells(fixture)) <= 11, `${await residentCells(fixture)}`);
});

for (const [restMs, leftAfter] of [
  [2_000, 4_000],
  [limits.entityIdleMs * 2, limits.entityIdleMs + 2_000],
] as const)
  test(`a kind that rests after ${restMs} ms: idle ones have left memory after ${leftAfter} ms, however many there are`, async (t) => {
    const fixture = await startFixture({ definitions: [pageOf(false, restMs)] });
    await fill(fixture, 1_500);
    await fixture.world.advance(Math.min(restMs, limits.entityIdleMs) - 1_000);
    t.is(await residentCells(fixture), 1_500);
    await fixture.world.advance(leftAfter - Math.min(restMs, limits.entityIdleMs) + 1_000);
    t.is(await residentCells(fixture), 0);
    t.like(await fixture.ask({ type: "read" }, { key: "k7" }), { replayed: false });
  });

test("twins are evicted together, when the one that stays longest may rest", async (t) => {
  const fixture = await startFixture({ definitions: [{ ...notebook, restMs: 1_000 }, cover] });
  await fixture.ask({ type: "add", amount: 1 });
  await fixture.world.advance(limits.entityIdleMs - 2_000);
  t.is(await residentCells(fixture), 1);
});
