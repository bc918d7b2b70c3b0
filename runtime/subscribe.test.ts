import test from "ava";
import { type Refusal, refuse } from "#base";
import { eventsOf } from "../test/support/runtime/events.ts";
import { settle, startFixture } from "../test/support/runtime/fixture.ts";
import type { LookDone } from "./events.ts";
import { type EventSource, subscribe } from "./subscribe.ts";

test("a thread has one question of a subscriber at a time, also when another thread is replaced meanwhile", async (t) => {
  const open = [0, 0, 0];
  const answers: ((refusal?: Refusal) => void)[] = [];
  const source =
    (worker: number): EventSource =>
    (_look, done) => {
      open[worker]!++;
      answers.push((refusal) => {
        open[worker]!--;
        const told = { atMs: 0, tenant: "t", environment: "", kind: "k", subject: "s", payload: null };
        done(refusal ?? { events: [{ shard: worker, seq: 1, index: 0, ...told }], positions: [[worker, 1]] });
      });
    };
  const sourcesOf = (...workers: number[]) => new Map(workers.map((worker) => [worker, source(worker)]));
  let sources = sourcesOf(0, 1, 2);
  const abort = new AbortController();
  const now = (step: () => void) => step();
  const events = eventsOf(subscribe(() => sources, { tenant: "t", cursor: new Map() }, abort.signal, now));
  const first = events.next();
  // Thread 1 is replaced: from now on it comes last.
  sources = sourcesOf(0, 2, 1);
  answers[1]!(refuse("UNAVAILABLE", "gone"));
  await new Promise(setImmediate);
  t.deepEqual(open, [1, 1, 1]);
  answers[0]!();
  t.like(await first, { value: { shard: 0 } });
  abort.abort();
  await events.return();
});

test("a subscriber that begins is told at once where every shard stands, also where nothing happens", async (t) => {
  const { runtime, ask, world } = await startFixture();
  await ask({ type: "add", amount: 1 });
  await world.advance(5_000);
  const abort = new AbortController();
  const known = new Set<number>();
  const events = eventsOf(
    runtime.subscribe({ tenant: "t", cursor: new Map() }, abort.signal),
    ({ positions }) => {
      for (const [shard] of positions) known.add(shard);
    },
  );
  const first = events[Symbol.asyncIterator]().next();
  // No time passes.
  await settle();
  t.is(known.size, 8);
  abort.abort();
  await first;
});

test("a shard moves to a node that was asked before the subscriber knew the shard: nothing is left out", async (t) => {
  const asked: { place: string; after: ReadonlyMap<number, number>; done: LookDone }[] = [];
  const source =
    (place: string): EventSource =>
    (look, done) =>
      void asked.push({ place, after: new Map("after" in look ? look.after : []), done });
  const sources = new Map(["a", "b"].map((place) => [place, source(place)]));
  const abort = new AbortController();
  const from = { tenant: "t", cursor: new Map() };
  const events = eventsOf(
    subscribe(
      () => sources,
      from,
      abort.signal,
      (step) => step(),
    ),
  );
  const first = events.next();
  const [a, b] = asked.splice(0) as [(typeof asked)[0], (typeof asked)[0]];
  b.done({ events: [], positions: [[1, 31]] });
  await new Promise(setImmediate);
  // The shard is at "a" now, which begins with what comes next.
  a.done({ events: [], positions: [[1, 76]] });
  await new Promise(setImmediate);
  const again = asked.findLast(({ place }) => place === "a")!;
  t.is(again.after.get(1), 31);
  const event = { atMs: 0, tenant: "t", environment: "", kind: "k", subject: "s", payload: null };
  again.done({ events: [{ shard: 1, seq: 42, index: 0, ...event }], positions: [[1, 76]] });
  t.like(await first, { value: { seq: 42 } });
  abort.abort();
  await events.return();
});
