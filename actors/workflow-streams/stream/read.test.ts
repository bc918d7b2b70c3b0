import test from "ava";
import { type Message, startStream, upTo } from "../../../test/support/streams.ts";

test("rule 1: a read returns the records after its cursor, in order, from memory and from rows", (t) => {
  const { driver, append, sequences, read } = startStream();
  t.like(append(3), { first_sequence: 1, last_sequence: 3, duplicate: false });
  t.like(append(2), { first_sequence: 4, last_sequence: 5 });
  t.deepEqual(sequences(0), [1, 2, 3, 4, 5]);
  driver.restart();
  t.deepEqual(sequences(2), [3, 4, 5]);
  t.deepEqual(sequences(0), [1, 2, 3, 4, 5]);
  t.like(read(1, { limit: 2 }), {
    next_after_sequence: 3,
    latest_sequence: 5,
    earliest_sequence: 1,
    closed: false,
  });
  t.deepEqual(sequences(5), []);
});

test("a page is cut at its bytes, and has at least one record", (t) => {
  const { append, sequences } = startStream();
  append(4, { payload: "x".repeat(1_000) });
  t.deepEqual(sequences(0, { max_bytes: 2_100 }), [1, 2]);
  t.deepEqual(sequences(1, { max_bytes: 1 }), [2]);
});

test("a long append is several rows, and every record of it can be read by itself", (t) => {
  const { driver, address, append, sequences } = startStream();
  append(100, { payload: "x".repeat(2_000) });
  t.true(driver.rows(address, "chunks").scan({ collection: "chunks", limit: 100 }).length > 2);
  driver.restart();
  for (const after of [0, 31, 32, 33, 63, 64, 65, 98]) t.is(sequences(after, { limit: 1 })[0], after + 1);
  t.deepEqual(sequences(0), upTo(1, 100));
});

test("rule 5: a cursor beyond the latest record is invalid, and the latest is told", (t) => {
  const { append, read } = startStream();
  append(2);
  t.like(read(3), { code: "INVALID_ARGUMENT", extra: { latest_sequence: 2 } });
  t.like(read(2), { records: [], next_after_sequence: 2 });
});

test("a long poll is answered by the next append, or by none when its time is over", (t) => {
  const { driver, ask, append } = startStream();
  const answers: Message[] = [];
  t.is(
    ask("ReadRecords", { wait_ms: 1_000 }, (answer) => answers.push(answer as Message)) as unknown,
    "parked",
  );
  append();
  t.is((answers[0]!.records as unknown[]).length, 1);
  ask("ReadRecords", { after_sequence: 1, wait_ms: 1_000 }, (answer) => answers.push(answer as Message));
  driver.advance(1_000);
  t.like(answers[1], { records: [], next_after_sequence: 1 });
});
