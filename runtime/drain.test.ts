import test from "ava";
import type { Verdict } from "../storage/memory/index.ts";
import { settle, startFixture } from "../test/support/runtime/fixture.ts";
import { defineActor } from "./actor.ts";

test("a drain answers what was taken, ends long polls, refuses what comes, and leaves all of it in the tables", async (t) => {
  const { ask, runtime, world, store, restart } = await startFixture();
  const poll = ask({ type: "await", sum: 99, untilMs: world.nowMs + 30_000 });
  await settle();
  const taken = ask({ type: "add", amount: 4 });
  const drained = runtime.drain();
  const late = ask({ type: "add", amount: 1 });
  t.like(await late, { code: "UNAVAILABLE", reason: "DRAINING" });
  t.like(await poll, { code: "UNAVAILABLE", reason: "DRAINING" });
  t.like(await taken, { response: { sum: 4 } });
  await world.advance(1_000);
  await drained;
  for (const [shard, { head }] of store.shards) t.is(store.watermarks.get(shard) ?? 0, head);
  t.like(await (await restart()).ask({ type: "read" }), { response: { sum: 4 } });
});

test("what would wait is told so once a drain has begun, also if it was taken before", async (t) => {
  const { ask, runtime, world } = await startFixture();
  const poll = ask({ type: "await", sum: 99, untilMs: world.nowMs + 30_000 });
  const drained = runtime.drain();
  t.like(await poll, { code: "UNAVAILABLE", reason: "DRAINING" });
  await world.advance(1_000);
  await drained;
});

/** Sets its timer anew whenever it fires. */
const metronome = defineActor<{ beats: number }, { type: "beat" | "read" }, { type: "beaten" }>({
  kind: "notebook",
  placement: "key",
  empty: () => ({ beats: 0 }),
  resident: ["head"],
  restore: (state, row) => Object.assign(state, row.value),
  decide: (_state, { type }) => ({ events: type === "read" ? [] : [{ type: "beaten" }] }),
  apply(state, _event, rows) {
    state.beats++;
    rows.put("head", [], state);
    rows.setTimer("next", rows.now + 5);
  },
  methods: {
    "Notebook.Do": {
      command: (request) => (request as { command: { type: "read" } }).command,
      respond: (state) => ({ beats: state.beats }),
    },
  },
  onTimer: () => ({ type: "beat" }),
});

test("timers that set the next one do not keep a drain from its end, and go on after the next start", async (t) => {
  let delayed: (step: () => void) => void = (step) => step();
  const { ask, runtime, world, restart } = await startFixture({
    definitions: [metronome],
    interference: {
      before: ({ type }) =>
        type === "write" ? new Promise<Verdict>((resolve) => delayed(() => resolve("proceed"))) : "proceed",
    },
  });
  // Longer than from one beat to the next.
  delayed = (step) => void world.setTimer(20, step);
  await ask({ type: "fired", id: "" });
  await world.advance(100);
  let drained = false;
  const draining = runtime.drain().then(() => {
    drained = true;
  });
  await world.advance(5_000);
  t.true(drained);
  await draining;
  delayed = (step) => step();
  const next = await restart();
  const before = await next.ask({ type: "read" });
  await world.advance(100);
  t.notDeepEqual(await next.ask({ type: "read" }), before);
});
