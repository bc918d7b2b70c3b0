import test, { type ExecutionContext } from "ava";
import { type ErrandCommand, errand } from "../../test/support/runtime/errand.ts";
import {
  type Fixture,
  type FixtureOptions,
  settle,
  startFixture,
} from "../../test/support/runtime/fixture.ts";
import { gate } from "../../test/support/runtime/gate.ts";
import type { EffectRun } from "./effect.ts";

/** A handler whose attempts end when the test says so. */
class Outside {
  readonly runs: (EffectRun & { end(result: unknown): void; fail(): void })[] = [];
  readonly handlers = {
    call: {
      run: (run: EffectRun) =>
        new Promise<unknown>((resolve, reject) => {
          this.runs.push({ ...run, end: resolve, fail: () => reject(new Error("refused outside")) });
        }),
    },
  };

  /** Of the attempts that began, as `id attempt`. */
  get seen(): string[] {
    return this.runs.map(({ id, attempt }) => `${id} ${attempt}`);
  }
}

async function start(t: ExecutionContext, options: FixtureOptions = {}) {
  const outside = new Outside();
  const fixture = await startFixture({ definitions: [errand], effects: outside.handlers, ...options });
  t.teardown(() => fixture.runtime.stop());
  return { outside, fixture };
}

function tell(fixture: Fixture, command: ErrandCommand, at: { key?: string; tenant?: string } = {}) {
  return fixture.ask(command as never, { kind: "errand", method: "Errand.Do", ...at });
}

async function results(fixture: Fixture): Promise<unknown> {
  return ((await tell(fixture, { type: "results" })) as { response: unknown }).response;
}

test("an effect runs when its commit is durable, not before, and its result is handed over once", async (t) => {
  const held = gate();
  const { outside, fixture } = await start(t, { interference: held.interference });
  held.close();
  const asked = tell(fixture, { type: "send", id: "a", body: { to: "x" } });
  await fixture.world.advance(5_000);
  t.deepEqual(outside.seen, []);
  await held.open();
  await asked;
  await fixture.world.advance(1);
  t.deepEqual(outside.seen, ["a 1"]);
  t.like(outside.runs[0], {
    body: { to: "x" },
    begun: false,
    address: { kind: "errand", tenant: "t", key: "a" },
  });
  outside.runs[0]!.end("done");
  await settle();
  t.deepEqual(await results(fixture), { a: "done" });
  const later = await fixture.restart();
  await later.world.advance(120_000);
  t.deepEqual(outside.seen, ["a 1"]);
  later.runtime.stop();
});

test("an effect waits for its time, over a restart too", async (t) => {
  const { outside, fixture } = await start(t);
  await tell(fixture, { type: "send", id: "a", dueMs: fixture.world.nowMs + 90_000 });
  await fixture.world.advance(89_000);
  t.deepEqual(outside.seen, []);
  const later = await fixture.restart();
  t.teardown(() => later.runtime.stop());
  await later.world.advance(2_000);
  t.is(outside.runs.length, 1);
});

for (const begins of [false, true])
  test(`a crash ${begins ? "after" : "before"} an attempt began: the next one knows it`, async (t) => {
    const { outside, fixture } = await start(t);
    await tell(fixture, { type: "send", id: "a" });
    await fixture.world.advance(1);
    const first = outside.runs[0]!;
    if (begins) t.deepEqual(await first.begin(), { told: "a" });
    const later = await fixture.restart();
    t.teardown(() => later.runtime.stop());
    await later.world.advance(1_000);
    t.deepEqual(outside.seen, ["a 1", "a 2"]);
    t.is(outside.runs[1]!.begun, begins);
    first.end("late");
    await settle();
    t.deepEqual(await results(later), {});
    outside.runs[1]!.end("second");
    await settle();
    t.deepEqual(await results(later), { a: "second" });
  });

test("a handler that throws is run again, later each time", async (t) => {
  const { outside, fixture } = await start(t);
  await tell(fixture, { type: "send", id: "a" });
  await fixture.world.advance(1);
  outside.runs[0]!.fail();
  await settle();
  await fixture.world.advance(900);
  t.deepEqual(outside.seen, ["a 1"]);
  await fixture.world.advance(200);
  t.deepEqual(outside.seen, ["a 1", "a 2"]);
  outside.runs[1]!.fail();
  await settle();
  await fixture.world.advance(1_500);
  t.is(outside.runs.length, 2);
  await fixture.world.advance(600);
  t.deepEqual(outside.seen, ["a 1", "a 2", "a 3"]);
});

test("a lease that is over: the attempt is aborted, what it returns later is refused, the next one counts", async (t) => {
  const { outside, fixture } = await start(t);
  await tell(fixture, { type: "send", id: "a" });
  await fixture.world.advance(1);
  const [first] = outside.runs;
  await fixture.world.advance(50_000);
  first!.extend();
  await fixture.world.advance(50_000);
  t.false(first!.signal.aborted);
  await fixture.world.advance(12_000);
  t.true(first!.signal.aborted);
  t.deepEqual(outside.seen, ["a 1", "a 2"]);
  first!.end("late");
  await settle();
  await t.throwsAsync(first!.begin());
  t.deepEqual(await results(fixture), {});
  outside.runs[1]!.end("second");
  await settle();
  t.deepEqual(await results(fixture), { a: "second" });
});

test("an effect that its entity ends is aborted, and its result refused", async (t) => {
  const { outside, fixture } = await start(t);
  await tell(fixture, { type: "send", id: "a" });
  await fixture.world.advance(1);
  await tell(fixture, { type: "cancel", id: "a" });
  t.true(outside.runs[0]!.signal.aborted);
  outside.runs[0]!.end("too late");
  await fixture.world.advance(120_000);
  t.deepEqual(await results(fixture), {});
  t.is(outside.runs.length, 1);
});

test("an effect asked for again under its id is another one: the result of the first is refused", async (t) => {
  const { outside, fixture } = await start(t);
  await tell(fixture, { type: "send", id: "a", body: 1 });
  await fixture.world.advance(1);
  await tell(fixture, { type: "send", id: "a", body: 2 });
  outside.runs[0]!.end("first");
  await fixture.world.advance(10);
  t.deepEqual(await results(fixture), {});
  t.deepEqual(
    outside.runs.map(({ body }) => body),
    [1, 2],
  );
  outside.runs[1]!.end("second");
  await settle();
  t.deepEqual(await results(fixture), { a: "second" });
});

test("an entity may refuse the beginning of an attempt, and says what it knows", async (t) => {
  const { outside, fixture } = await start(t);
  await tell(fixture, { type: "send", id: "a" });
  await fixture.world.advance(1);
  await tell(fixture, { type: "forbid" });
  await t.throwsAsync(outside.runs[0]!.begin(), { message: /not any more/ });
});

test("of one lane so many run at once as it may have, and no lane or tenant waits for a full one", async (t) => {
  const { outside, fixture } = await start(t, { limits: { effectLaneMax: 2, effectsRunningMax: 5 } });
  for (const id of ["a", "b", "c", "d"]) await tell(fixture, { type: "send", id, lane: "slow" });
  await fixture.world.advance(1);
  t.is(outside.runs.length, 2);
  await tell(fixture, { type: "send", id: "e", lane: "other" });
  await tell(fixture, { type: "send", id: "f", lane: "slow" }, { tenant: "u" });
  await fixture.world.advance(1);
  t.deepEqual(outside.seen.slice(2).sort(), ["e 1", "f 1"]);
  outside.runs[0]!.end("done");
  await fixture.world.advance(1);
  t.is(outside.runs.length, 5);
  t.regex(outside.seen[4]!, /^[b-d] 1$/);
});

test("a thread that drains begins no effect and waits for those under way", async (t) => {
  const { outside, fixture } = await start(t);
  await tell(fixture, { type: "send", id: "a" });
  await tell(fixture, { type: "send", id: "b", dueMs: fixture.world.nowMs + 50 });
  await fixture.world.advance(1);
  let drained = false;
  const draining = fixture.runtime.drain().then(() => {
    drained = true;
  });
  await fixture.world.advance(200);
  t.false(drained);
  t.deepEqual(outside.seen, ["a 1"]);
  outside.runs[0]!.end("done");
  await fixture.world.advance(200);
  await draining;
  t.true(drained);
});

test("an effect that waits for its time is two rows, and none when it has ended", async (t) => {
  const { outside, fixture } = await start(t);
  const rowsOf = (collection: string) =>
    [...fixture.store.partitions]
      .filter(([partition]) => partition.includes(collection))
      .reduce((sum, [, { keys }]) => sum + keys.length, 0);
  const rows = () => ["~effect", "~due", "~timer"].map(rowsOf);
  await tell(fixture, { type: "send", id: "a", dueMs: fixture.world.nowMs + 5_000 });
  await fixture.world.advance(2_000);
  t.deepEqual(rows(), [1, 1, 0]);
  await fixture.world.advance(4_000);
  outside.runs[0]!.end("done");
  await fixture.world.advance(1);
  await fixture.world.advance(2_000);
  t.deepEqual(rows(), [0, 0, 0]);
});

/** Positions of the journal so far. */
function positions({ store }: Fixture): number {
  return [...store.shards.values()].reduce((sum, { entries }) => sum + entries.length, 0);
}

test("given attempts of one entity, when their steps come together, then they share one position of the journal", async (t) => {
  const { outside, fixture } = await start(t);
  for (const id of ["a", "b", "c"]) await tell(fixture, { type: "send", id });
  await fixture.world.advance(1);
  let before = positions(fixture);
  const told = await Promise.all(outside.runs.map((run) => run.begin()));
  t.deepEqual(
    told,
    outside.runs.map(({ id }) => ({ told: id })),
  );
  t.is(positions(fixture) - before, 1, "three marks");
  before = positions(fixture);
  for (const run of outside.runs) run.end(run.id);
  await settle();
  t.is(positions(fixture) - before, 1, "three ends");
  const later = await fixture.restart();
  t.teardown(() => later.runtime.stop());
  await later.world.advance(120_000);
  t.deepEqual(await results(later), { a: "a", b: "b", c: "c" });
  t.is(outside.runs.length, 3);
});

test("given an attempt whose mark and end come together, when they share a turn, then it has ended", async (t) => {
  const { outside, fixture } = await start(t);
  await tell(fixture, { type: "send", id: "a" });
  await fixture.world.advance(1);
  const marked = outside.runs[0]!.begin();
  outside.runs[0]!.end("done");
  await settle();
  await marked;
  const later = await fixture.restart();
  t.teardown(() => later.runtime.stop());
  await later.world.advance(120_000);
  t.is(outside.runs.length, 1);
  t.deepEqual(await results(later), { a: "done" });
});

test("given attempts that share a turn, when one was ended before, then its place is free and the next one runs", async (t) => {
  const { outside, fixture } = await start(t, { limits: { effectLaneMax: 2 } });
  for (const id of ["a", "b", "c"]) await tell(fixture, { type: "send", id, lane: "slow" });
  await fixture.world.advance(1);
  const [first, second] = outside.runs;
  await tell(fixture, { type: "cancel", id: first!.id });
  second!.end("done");
  first!.end("late");
  await fixture.world.advance(10);
  t.is(outside.runs.length, 3);
  outside.runs[2]!.end("done");
  await settle();
  t.deepEqual(await results(fixture), { [second!.id]: "done", [outside.runs[2]!.id]: "done" });
});
