import test from "ava";
import { limits } from "#base";
import { testCaller } from "../../test/support/entity.ts";
import { nextEvents } from "../kit/next-events.ts";
import type { CallContext } from "../module.ts";
import { events } from "./index.ts";

interface Page {
  readonly events: readonly object[];
  readonly positions: readonly (readonly number[])[];
}

/** What an empty cursor is answered while the threads bring these pages, a second apart. */
async function begin(pages: readonly Page[]): Promise<{ events: unknown[]; cursor: number[] }> {
  let nowMs = 0;
  const context = {
    caller: testCaller("t"),
    clock: { now: () => 0, monotonic: () => nowMs },
    signal: new AbortController().signal,
    asker: {
      subscribe: async function* () {
        for (const page of pages) {
          nowMs += 1_000;
          yield page;
        }
      },
    },
  } as unknown as CallContext;
  const request = { cursor: [], kinds: [], waitMs: 10_000 };
  return (await events.internal![nextEvents.name]!(request as never, context)) as never;
}

const event = { shard: 0, seq: 8, index: 0, kind: "k", tenant: "t", environment: "", subject: "s", atMs: 0 };
const first: Page = { events: [], positions: [[0, 7]] };
const busy: Page = { events: [event], positions: [[0, 8]] };
const others = Array.from({ length: limits.shardCount - 1 }, (_, shard) => [shard + 1, 3]);

test("given an event before every shard has said where it stands, then the first cursor names all, and is before it", async (t) => {
  const { events, cursor } = await begin([first, busy, { events: [], positions: others }]);
  t.deepEqual(events, []);
  t.deepEqual(cursor, [[0, 7], ...others].flat());
});

test("given a shard that does not say where it stands, then there is no cursor", async (t) => {
  await t.throwsAsync(begin([first, ...Array.from({ length: 12 }, () => busy)]), {
    message: /not every thread/,
  });
});
