import test from "ava";
import { type RefusalError, refuse } from "#base";
import type { Answer, Ask } from "#runtime";
import { askerOf } from "../../../../test/support/asker.ts";
import { testCaller } from "../../../../test/support/entity.ts";
import { runId, tenant } from "../../../../test/support/streams.ts";
import type { CallContext } from "../../../module.ts";
import { LiveStreams } from "./live-stream.ts";
import { subscribeTo } from "./subscribe.ts";

const page = (records: object[], latest: number): Answer => ({
  response: {
    records,
    next_after_sequence: latest,
    latest_sequence: latest,
    earliest_sequence: 1,
    closed: false,
  },
  replayed: false,
});

/** Subscribers of one stream whose entity answers the reads of their thread by `answer`. */
function subscribers(answer: (asked: Ask) => Answer | Promise<Answer>) {
  const streams = new LiveStreams(async () => undefined);
  const handler = subscribeTo(streams);
  const open = () => {
    const call = {
      caller: testCaller(tenant),
      asker: askerOf(answer),
      clock: { now: () => 0 },
      deadlineMs: 1_000,
      signal: new AbortController().signal,
      roles: [],
    } as unknown as CallContext;
    const request = (async function* () {
      yield { run_id: runId, stream_id: runId, after_sequence: 0 };
    })();
    return handler(request, call)[Symbol.asyncIterator]();
  };
  return { streams, open };
}

test("a stream that is purged: its subscribers are told that there is none, and wait for nothing", async (t) => {
  let purge = (_: Answer) => {};
  const purged = new Promise<Answer>((resolve) => {
    purge = resolve;
  });
  const { open } = subscribers(({ caller }) => (caller.principalKind === "module" ? purged : page([], 0)));
  const readers = [open(), open()];
  for (const reader of readers) await reader.next();
  const ends = readers.map((reader) => reader.next());
  purge(refuse("NOT_FOUND", "there is no such stream in this run"));
  for (const end of ends) {
    const thrown = await t.throwsAsync(end as Promise<unknown>);
    t.like((thrown as RefusalError).refusal, { code: "NOT_FOUND" });
  }
});

test("two subscribers of a thread get the same answer object, from one question to the entity", async (t) => {
  let asked = 0;
  let tell = (_: Answer) => {};
  const { open } = subscribers(({ caller }) => {
    if (caller.principalKind !== "module") return page([], 0);
    return new Promise((resolve) => {
      asked++;
      tell = resolve;
    });
  });
  const readers = [open(), open()];
  for (const reader of readers) await reader.next();
  const next = readers.map((reader) => reader.next());
  tell(page([{ sequence: 1 }], 1));
  const [one, other] = await Promise.all(next);
  t.deepEqual(one!.value, { record: { sequence: 1 } });
  t.is(one!.value, other!.value);
  t.is(asked, 2);
});
