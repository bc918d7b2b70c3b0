import test from "ava";
import { type Message, startRun } from "../../../test/support/streams.ts";

test("rule 10: an input record is told to its run once, under an id that follows from the record", (t) => {
  const { driver, run, id, ask, wait } = startRun();
  ask("AppendRecords", {
    records: [{ payload: 1 }, { kind: "input", payload: 2 }, { kind: "input", payload: 3 }],
  });
  const first = wait({ event_key: "stream.s" }).event!;
  t.like(first, { event_key: "stream.s", payload: { stream_id: id, sequence: 2 } });
  t.regex(first.event_id as string, /^[0-9a-f]{64}$/);
  const second = wait({ event_key: "stream.s", after_event_id: first.event_id }).event!;
  t.like(second, { payload: { stream_id: id, sequence: 3 } });
  t.is(wait({ event_key: "stream.s", after_event_id: second.event_id }).event, undefined);
  // The outbox delivers at least once.
  const events = [{ environment: "production", id: first.event_id, key: "stream.s", payload: first.payload }];
  driver.tell(run, { type: "input", events });
  t.is(wait({ event_key: "stream.s", after_event_id: second.event_id }).event, undefined);
  t.deepEqual(driver.unlikeReplay(run), []);
});

test("a wait is answered by the next event of its key, and by no other", (t) => {
  const { driver, wait, signal } = startRun();
  const answers: Message[] = [];
  const later = (answer: unknown) => answers.push(answer as Message);
  t.is(wait({ event_key: "a", wait_ms: 1_000 }, later) as unknown, "parked");
  signal({ event_key: "b", payload: 1 });
  t.is(answers.length, 0);
  const { event_id } = signal({ event_key: "a", payload: { x: 1 } });
  t.like(answers[0], { event: { event_id, payload: { x: 1 } } });
  wait({ event_key: "a", after_event_id: event_id, wait_ms: 1_000 }, later);
  driver.advance(1_000);
  t.deepEqual(answers[1], {});
});

test("an event with an id that is known is the same event, and its first payload counts", (t) => {
  const { wait, signal } = startRun();
  t.like(signal({ event_key: "a", event_id: "e", payload: 1 }), { event_id: "e", duplicate: false });
  t.like(signal({ event_key: "a", event_id: "e", payload: 2 }), { event_id: "e", duplicate: true });
  t.like(wait({ event_key: "a" }), { event: { payload: 1 } });
  t.is(wait({ event_key: "a", after_event_id: "e" }).event, undefined);
  t.like(wait({ event_key: "b", after_event_id: "e" }), { code: "INVALID_ARGUMENT" });
});

test("events are kept until seven days after the last one of their run", (t) => {
  const { driver, run, wait, signal } = startRun();
  const day = 86_400_000;
  signal({ event_key: "a", event_id: "e", payload: 1 });
  driver.advance(6 * day);
  signal({ event_key: "a", event_id: "f", payload: 2 });
  driver.advance(6 * day);
  t.like(wait({ event_key: "a" }), { event: { event_id: "e" } });
  driver.advance(day + 1);
  t.is(wait({ event_key: "a" }).event, undefined);
  t.deepEqual(driver.timers(run), []);
  signal({ event_key: "a", event_id: "e", payload: 3 });
  t.like(wait({ event_key: "a" }), { event: { payload: 3 } });
  t.is(driver.timers(run).length, 1);
});
