import test from "ava";
import { limits } from "#base";
import { type Message, startStream, upTo } from "../../../test/support/streams.ts";

test("a closed stream takes nothing, can be read to its end, and answers who waits", (t) => {
  const { ask, append, read, sequences } = startStream();
  append(2);
  const answers: Message[] = [];
  ask("ReadRecords", { after_sequence: 2, wait_ms: 1_000 }, (answer) => answers.push(answer as Message));
  t.like(ask("CloseStream"), { state: "closed", latest_sequence: 2 });
  t.like(answers[0], { records: [], closed: true });
  t.like(append(), { code: "STATE_CONFLICT", reason: "STREAM_CLOSED" });
  t.like(ask("CloseStream"), { state: "closed" });
  t.deepEqual(sequences(0), [1, 2]);
  t.like(read(2, { wait_ms: 1_000 }), { records: [], closed: true });
});

test("a repeat of a producer returns the sequences it got, also after the close", (t) => {
  const { driver, ask, append, produce } = startStream();
  t.like(produce(0, 10, 3), { first_sequence: 1, last_sequence: 3, duplicate: false });
  append();
  t.like(produce(0, 13, 2), { first_sequence: 5, last_sequence: 6 });
  driver.restart();
  t.like(produce(0, 10, 3), { first_sequence: 1, last_sequence: 3, duplicate: true });
  t.like(produce(0, 11, 1), { first_sequence: 2, last_sequence: 2, duplicate: true });
  t.like(produce(0, 13, 2), { first_sequence: 5, last_sequence: 6, duplicate: true });
  t.like(produce(0, 14, 2), { code: "STATE_CONFLICT", reason: "PRODUCER_GAP" });
  ask("CloseStream");
  t.like(produce(0, 10, 3), { first_sequence: 1, duplicate: true });
});

test("a producer with an old epoch is fenced, one with a gap refused, and nothing is appended", (t) => {
  const { produce, read } = startStream();
  produce(1, 0);
  t.like(produce(1, 2), { code: "STATE_CONFLICT", reason: "PRODUCER_GAP" });
  t.like(produce(2, 0), { first_sequence: 2 });
  t.like(produce(1, 1), { code: "STATE_CONFLICT", reason: "PRODUCER_FENCED" });
  t.like(read(0), { latest_sequence: 2 });
});

test("the records of a request have one producer, whose sequences follow one another", (t) => {
  const { ask } = startStream();
  const producer = { id: "p", epoch: 0, sequence: 0 };
  const records = [
    { payload: 1, producer },
    { payload: 2, producer },
  ];
  t.like(ask("AppendRecords", { records }), { code: "INVALID_ARGUMENT" });
  t.like(ask("AppendRecords", { records: [{ payload: 1 }, { payload: 2, producer }] }), {
    code: "INVALID_ARGUMENT",
  });
});

test("an expected sequence that differs is a conflict, and nothing is appended", (t) => {
  const { append, ask, read } = startStream();
  append();
  const records = [
    { payload: 1, expected_sequence: 2 },
    { payload: 2, expected_sequence: 4 },
  ];
  t.like(ask("AppendRecords", { records }), { code: "VERSION_CONFLICT", extra: { latest_sequence: 1 } });
  t.like(read(0), { latest_sequence: 1 });
  t.like(ask("AppendRecords", { records: [{ payload: 1, expected_sequence: 2 }] }), { first_sequence: 2 });
});

test("edge case 17: a record of 64 KiB is taken, one byte more is not, bytes of UTF-8 counted", (t) => {
  const { append, ask } = startStream();
  const most = limits.streamRecordBytesMax;
  t.like(append(1, { payload: "x".repeat(most - 2) }), { first_sequence: 1 });
  t.like(append(1, { payload: "x".repeat(most - 1) }), { code: "PAYLOAD_TOO_LARGE" });
  t.like(append(1, { payload: "ü".repeat(most / 2) }), { code: "PAYLOAD_TOO_LARGE" });
  const bytes = (length: number) => Buffer.alloc(length).toString("base64");
  t.like(ask("AppendRecords", { records: [{ bytes: bytes(most) }] }), { first_sequence: 2 });
  t.like(ask("AppendRecords", { records: [{ bytes: bytes(most + 1) }] }), { code: "PAYLOAD_TOO_LARGE" });
  t.like(ask("AppendRecords", { records: [{ payload: 1 }, { bytes: bytes(most + 1) }] }), {
    code: "PAYLOAD_TOO_LARGE",
  });
  t.like(ask("GetStream"), { latest_sequence: 2 });
});

test("edge case 13: a producer that takes over in the middle of a batch fences the rest of it, and all of its repeat", (t) => {
  const { produce, sequences, read } = startStream();
  t.like(produce(1, 0, 3), { first_sequence: 1, last_sequence: 3 });
  t.like(produce(2, 0, 2), { first_sequence: 4, last_sequence: 5 });
  t.like(produce(1, 3, 3), { code: "STATE_CONFLICT", reason: "PRODUCER_FENCED" });
  t.like(produce(1, 0, 3), { code: "STATE_CONFLICT", reason: "PRODUCER_FENCED" });
  t.like(produce(2, 2), { first_sequence: 6 });
  t.deepEqual(sequences(0), upTo(1, 6));
  const producers = (read(0).records as { producer: { epoch: number } }[]).map(
    ({ producer }) => producer.epoch,
  );
  t.deepEqual(producers, [1, 1, 1, 2, 2, 2]);
});
