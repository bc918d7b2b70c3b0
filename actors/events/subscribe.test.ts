import test from "ava";
import { limits, RefusalError } from "#base";
import type { PublishedEvent } from "#runtime";
import { testCaller } from "../../test/support/entity.ts";
import { cursorOf, openCursor } from "../kit/list.ts";
import { type CallContext, opened } from "../module.ts";
import { subscribeEvents } from "./subscribe.ts";

interface Sent {
  readonly cursor?: string;
  readonly event?: { readonly kind: string };
}

/** A subscription over the events of one shard; all others are quiet, or, with `away`, say nothing at all. */
async function subscribe(
  count: number,
  kind: (index: number) => string,
  { away = false, afterMs = 0 } = {},
): Promise<Sent[]> {
  const events = Array.from({ length: count }, (_, index): PublishedEvent => {
    return {
      shard: 0,
      seq: index + 1,
      index: 0,
      kind: kind(index),
      tenant: "t",
      environment: "",
      subject: "s",
      atMs: 0,
      payload: {},
    };
  });
  const shards = away ? 1 : limits.shardCount;
  const positions = Array.from({ length: shards }, (_, shard) => [shard, 0] as [number, number]);
  const pages = events.map((event) => ({ events: [event], positions: [...positions, [0, event.seq]] }));
  const sent: Sent[] = [];
  for await (const one of subscribed(pages, ["rare"], { afterMs })) sent.push(one);
  return sent;
}

interface Page {
  readonly events: readonly object[];
  readonly positions: readonly (readonly number[])[];
}

/** What a subscriber is sent while the threads bring these pages, one after the other. */
function subscribed(
  pages: readonly Page[],
  kinds: readonly string[],
  { afterMs = 0, cursor = "" } = {},
): AsyncIterable<Sent> {
  let nowMs = 0;
  const context = {
    caller: testCaller("t"),
    deadlineMs: Number.MAX_SAFE_INTEGER,
    clock: { now: () => 0, monotonic: () => nowMs },
    signal: new AbortController().signal,
    asker: {
      subscribe: async function* () {
        for (const page of pages) {
          nowMs += afterMs;
          yield page;
        }
      },
    },
  } as unknown as CallContext;
  const requests = (async function* () {
    yield { cursor, kinds };
  })();
  return (async function* () {
    for await (const sent of subscribeEvents(requests, context)) if (sent !== opened) yield sent as Sent;
  })();
}

test("given a rare kind, when a second of other events has passed, then the subscriber gets a cursor by itself", async (t) => {
  const sent = await subscribe(5, () => "frequent.kind", { afterMs: limits.eventsCursorMs / 2 });
  t.is(sent.length, 2);
  t.true(sent.every(({ cursor, event }) => cursor !== undefined && event === undefined));
  t.not(sent[0]!.cursor, sent[1]!.cursor);
});

test("given nothing that happens, then a cursor comes now and then", async (t) => {
  const positions = Array.from({ length: limits.shardCount }, (_, shard) => [shard, 0]);
  const pages = Array.from({ length: 6 }, () => ({ events: [], positions }));
  const sent: Sent[] = [];
  for await (const one of subscribed(pages, [], { afterMs: limits.eventsIdleCursorMs / 2 })) sent.push(one);
  t.is(sent.length, 3);
});

test("given many events at once, then the first has a cursor, and every hundredth after it", async (t) => {
  const sent = await subscribe(250, () => "rare.kind");
  t.is(sent.length, 250);
  const withCursor = sent.flatMap(({ cursor }, index) => (cursor === undefined ? [] : [index]));
  t.deepEqual(withCursor, [0, 100, 200]);
});

test("the cursor of an event that was held back passes over none that are still to come", async (t) => {
  const event = (seq: number) => ({
    shard: 0,
    seq,
    index: 0,
    kind: "k",
    tenant: "t",
    environment: "",
    subject: "s",
    atMs: 0,
  });
  const others = Array.from({ length: limits.shardCount - 1 }, (_, index) => [index + 1, 0]);
  const pages = [
    { events: [event(6), event(7)], positions: [[0, 7]] },
    // The thread that has the other shards answers later, and has nothing to tell.
    { events: [], positions: others },
    { events: [event(8)], positions: [[0, 8]] },
    { events: [event(9)], positions: [[0, 9]] },
  ];
  const reached: number[] = [];
  for await (const { cursor } of subscribed(pages, [], { afterMs: limits.eventsCursorMs })) {
    if (cursor === undefined) continue;
    const flat = openCursor(["events", "t"], cursor, "numbers") as readonly number[];
    reached.push(new Map(pairsOf(flat)).get(0)!);
  }
  t.deepEqual(reached, [5, 7, 8]);
});

function pairsOf(flat: readonly number[]): [number, number][] {
  return flat.flatMap((one, index) => (index % 2 === 0 ? [[one, flat[index + 1]!] as [number, number]] : []));
}

/** Of every shard, from its beginning. */
const everything = Array.from({ length: limits.shardCount }, (_, shard) => [shard, 0]).flat();

test("a forged cursor opens nothing of another tenant", async (t) => {
  const event = (seq: number, tenant: string) => ({
    ...{ shard: 0, seq, index: 0, kind: "k", tenant, environment: "", subject: tenant, atMs: 0 },
  });
  const pages = [{ events: [event(1, "u"), event(2, "t"), event(3, "u")], positions: [[0, 3]] }];
  const sent: Sent[] = [];
  for await (const one of subscribed(pages, [], { cursor: cursorOf(["events", "t"], everything) }))
    sent.push(one);
  t.deepEqual(
    sent.map(({ event: told }) => (told as unknown as { subject: string }).subject),
    ["t"],
  );
});

const forged: Readonly<Record<string, string>> = {
  "of another tenant": cursorOf(["events", "u"], everything),
  "of a shard that there is not": cursorOf(["events", "t"], [limits.shardCount, 0]),
  "of one shard twice": cursorOf(["events", "t"], [0, 1, 0, 2]),
  "without a number for its last shard": cursorOf(["events", "t"], [0, 1, 1]),
  "with a number below zero": cursorOf(["events", "t"], [0, -1]),
  "with a number that is not whole": cursorOf(["events", "t"], [0, 1.5]),
  "with a number that is too large": cursorOf(["events", "t"], [0, 2 ** 53]),
  "with a text": cursorOf(["events", "t"], [0, "1"]),
  "that is none": "nonsense",
};

for (const [what, cursor] of Object.entries(forged))
  test(`a cursor ${what} is refused`, async (t) => {
    const read = async () => {
      for await (const _ of subscribed([], [], { cursor }));
    };
    const error = await t.throwsAsync(read, { instanceOf: RefusalError });
    t.is(error?.refusal.code, "INVALID_ARGUMENT");
    t.deepEqual(error?.refusal.fields, [{ field: "cursor", reason: "is not a cursor of this list" }]);
  });

test("while a thread is away, a new subscriber holds only so many pages of the others", async (t) => {
  await t.notThrowsAsync(subscribe(limits.eventPagesHeldMax, () => "rare.kind", { away: true }));
  await t.throwsAsync(
    subscribe(limits.eventPagesHeldMax + 1, () => "rare.kind", { away: true }),
    {
      instanceOf: RefusalError,
      message: /not every thread/,
    },
  );
});
