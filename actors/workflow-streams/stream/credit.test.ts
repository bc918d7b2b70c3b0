import test from "ava";
import { type Message, startStream } from "../../../test/support/streams.ts";

test("rule 8: acknowledgements only go forward; the same again changes nothing, one beyond the latest is invalid", (t) => {
  const { append, ack, ask } = startStream();
  append(5);
  t.like(ack("c", 3), { acknowledged_sequence: 3, unread_items: 2 });
  t.like(ack("c", 3), { acknowledged_sequence: 3 });
  t.like(ack("c", 2), { code: "STATE_CONFLICT", reason: "ACK_REGRESSION" });
  t.like(ack("c", 6), { code: "INVALID_ARGUMENT", extra: { latest_sequence: 5 } });
  t.like(ask("Acknowledge", { run_id: "01ARZ3NDEKTSV4RRFFQ69G5FAW", consumer_id: "c", sequence: 4 }), {
    code: "NOT_FOUND",
  });
  t.like(ask("ListConsumers"), { total: 1, consumers: [{ consumer_id: "c", acknowledged_sequence: 3 }] });
});

test("rule 7: unread items and bytes count from the lowest acknowledgement, and exactly", (t) => {
  const { driver, append, ack, ask } = startStream();
  append(10, { payload: "1234" });
  t.like(ask("GetStream"), { unread_items: 10, unread_bytes: 60, total_bytes: 60 });
  ack("fast", 9);
  ack("slow", 4);
  t.like(ask("GetStream"), { unread_items: 6, unread_bytes: 36 });
  driver.restart();
  ack("slow", 7);
  t.like(ask("GetStream"), { unread_items: 3, unread_bytes: 18 });
  ask("DeleteConsumer", { consumer_id: "slow" });
  t.like(ask("GetStream"), { unread_items: 1, unread_bytes: 6 });
});

test("rule 9: an append over the unread ceiling is told when to come again, and nothing is appended", (t) => {
  const { driver, append, ack, read } = startStream({ ceilings: { unread_items: 4 } });
  append(4);
  t.like(append(), { code: "RATE_LIMITED", reason: "STREAM_BACKPRESSURE", retryAfterMs: 1_000 });
  driver.now += 10_000;
  ack("c", 1);
  const refused = append(3);
  t.like(refused, { code: "RATE_LIMITED", extra: { unread_items: 3, slowest_consumer: "c" } });
  // One record in ten seconds was acknowledged, and two are too many.
  t.is(refused.retryAfterMs, 21_000);
  t.like(read(0), { latest_sequence: 4 });
  ack("c", 3);
  t.like(append(3), { first_sequence: 5 });
});

test("an append over the ceiling of bytes is told when so many bytes will have been read", (t) => {
  const { driver, append, ack } = startStream({ ceilings: { unread_bytes: 60 } });
  // {"n":0} has seven bytes.
  append(8);
  driver.now += 10_000;
  ack("c", 1);
  const refused = append(3);
  t.like(refused, { code: "RATE_LIMITED", extra: { unread_items: 7 } });
  // One record in ten seconds was acknowledged, and ten bytes, which are two records, are too many.
  t.is(refused.retryAfterMs, 21_000);
});

test("edge case 16: a batch that alone exceeds the credit is taken where everything is read", (t) => {
  const { append, ack } = startStream({ ceilings: { unread_items: 4 } });
  t.like(append(6), { last_sequence: 6 });
  t.like(append(), { code: "RATE_LIMITED" });
  ack("c", 6);
  t.like(append(6), { last_sequence: 12 });
});

test("edge case 15: a blocked append goes on when the consumer it waits for is removed", (t) => {
  const { driver, append, ack, ask } = startStream({
    ceilings: { unread_items: 2 },
    overflow: "block",
    block_ms: 5_000,
  });
  append(2);
  ack("gone", 0);
  const answers: Message[] = [];
  const blocked = () =>
    ask("AppendRecords", { records: [{ payload: 1 }] }, (answer) => answers.push(answer as Message));
  t.is(blocked() as unknown, "parked");
  ack("other", 2);
  t.is(answers.length, 0);
  ask("DeleteConsumer", { consumer_id: "gone" });
  t.like(answers[0], { first_sequence: 3 });
  t.like(blocked(), { first_sequence: 4 });
  t.is(blocked() as unknown, "parked");
  driver.advance(5_000);
  t.like(answers[1], { code: "RATE_LIMITED", reason: "STREAM_BACKPRESSURE" });
});

test("rule 6: the total ceiling is a quota: nothing is appended, also where everything is read", (t) => {
  const { append, ack, read } = startStream({ ceilings: { total_items: 5, unread_items: 2 } });
  append(5);
  ack("c", 5);
  t.like(append(), { code: "QUOTA_EXCEEDED" });
  t.like(read(0), { latest_sequence: 5 });
});
