import test from "ava";
import { limits } from "#base";
import { EntityDriver } from "../../test/support/entity.ts";
import { modules } from "../../test/support/module-parts.ts";
import { runAddress, streamAddress } from "./stream.ts";

type Message = Record<string, unknown>;
const tenant = "0000000000000000000000000A";
const runId = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const service = "WorkflowStreamService";

/** A stream over the synchronous driver. */
function start(settings: Message = {}, caller: object = {}) {
  const driver = new EntityDriver(modules.flatMap(({ actors }) => actors));
  const run = runAddress(tenant, runId);
  const create = (more: Message = {}) => {
    const request = { run_id: runId, name: "s", content_classes: ["json"], ...settings, ...more };
    return driver.ask(run, "Run.CreateStream", request, { caller }) as Message;
  };
  const { id } = create() as { id: string };
  const address = streamAddress(tenant, id);
  const ask = (method: string, request: Message = {}, later?: (answer: unknown) => void): Message =>
    driver.ask(
      address,
      `${service}.${method}`,
      { run_id: runId, stream_id: id, ...request },
      {
        caller,
        ...(later && { later }),
      },
    ) as Message;
  const append = (count = 1, more: Message = {}) =>
    ask("AppendRecords", { records: Array.from({ length: count }, (_, n) => ({ payload: { n }, ...more })) });
  const produce = (epoch: number, sequence: number, count = 1) =>
    ask("AppendRecords", {
      records: Array.from({ length: count }, (_, n) => ({
        payload: n,
        producer: { id: "p", epoch, sequence: sequence + n },
      })),
    });
  const read = (after_sequence: number, more: Message = {}) =>
    ask("ReadRecords", { after_sequence, ...more });
  const sequences = (after: number, more: Message = {}) =>
    (read(after, { limit: 1000, ...more }).records as { sequence: number }[]).map(({ sequence }) => sequence);
  const ack = (consumer_id: string, sequence: number) => ask("Acknowledge", { consumer_id, sequence });
  return { driver, run, create, id, address, ask, append, produce, read, sequences, ack };
}

const upTo = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);

test("rule 1: a read returns the records after its cursor, in order, from memory and from rows", (t) => {
  const { driver, append, sequences, read } = start();
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
  const { append, sequences } = start();
  append(4, { payload: "x".repeat(1_000) });
  t.deepEqual(sequences(0, { max_bytes: 2_100 }), [1, 2]);
  t.deepEqual(sequences(1, { max_bytes: 1 }), [2]);
});

test("a long append is several rows, and every record of it can be read by itself", (t) => {
  const { driver, address, append, sequences } = start();
  append(100, { payload: "x".repeat(2_000) });
  t.true(driver.rows(address, "chunks").scan({ collection: "chunks", limit: 100 }).length > 2);
  driver.restart();
  for (const after of [0, 31, 32, 33, 63, 64, 65, 98]) t.is(sequences(after, { limit: 1 })[0], after + 1);
  t.deepEqual(sequences(0), upTo(1, 100));
});

test("rule 5: a cursor beyond the latest record is invalid, and the latest is told", (t) => {
  const { append, read } = start();
  append(2);
  t.like(read(3), { code: "INVALID_ARGUMENT", extra: { latest_sequence: 2 } });
  t.like(read(2), { records: [], next_after_sequence: 2 });
});

test("a long poll is answered by the next append, or by none when its time is over", (t) => {
  const { driver, ask, append } = start();
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

test("a closed stream takes nothing, can be read to its end, and answers who waits", (t) => {
  const { ask, append, read, sequences } = start();
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
  const { driver, ask, append, produce } = start();
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
  const { produce, read } = start();
  produce(1, 0);
  t.like(produce(1, 2), { code: "STATE_CONFLICT", reason: "PRODUCER_GAP" });
  t.like(produce(2, 0), { first_sequence: 2 });
  t.like(produce(1, 1), { code: "STATE_CONFLICT", reason: "PRODUCER_FENCED" });
  t.like(read(0), { latest_sequence: 2 });
});

test("the records of a request have one producer, whose sequences follow one another", (t) => {
  const { ask } = start();
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
  const { append, ask, read } = start();
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
  const { append, ask } = start();
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

test("rule 8: acknowledgements only go forward; the same again changes nothing, one beyond the latest is invalid", (t) => {
  const { append, ack, ask } = start();
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
  const { driver, append, ack, ask } = start();
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
  const { driver, append, ack, read } = start({ ceilings: { unread_items: 4 } });
  append(4);
  t.like(append(), { code: "RATE_LIMITED", reason: "BACKPRESSURE", retryAfterMs: 1_000 });
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

test("edge case 16: a batch that alone exceeds the credit is taken where everything is read", (t) => {
  const { append, ack } = start({ ceilings: { unread_items: 4 } });
  t.like(append(6), { last_sequence: 6 });
  t.like(append(), { code: "RATE_LIMITED" });
  ack("c", 6);
  t.like(append(6), { last_sequence: 12 });
});

test("edge case 15: a blocked append goes on when the consumer it waits for is removed", (t) => {
  const { driver, append, ack, ask } = start({
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
  t.like(answers[1], { code: "RATE_LIMITED", reason: "BACKPRESSURE" });
});

test("rule 6: the total ceiling is a quota: nothing is appended, also where everything is read", (t) => {
  const { append, ack, read } = start({ ceilings: { total_items: 5, unread_items: 2 } });
  append(5);
  ack("c", 5);
  t.like(append(), { code: "QUOTA_EXCEEDED" });
  t.like(read(0), { latest_sequence: 5 });
});

test("rule 4: a reader below the floor is told requested, earliest, latest and why", (t) => {
  const { driver, append, read, sequences } = start({ retention: { max_records: 4 } });
  append(3);
  append(4);
  driver.advance(limits.streamTrimDelayMs);
  t.like(read(0), {
    code: "CURSOR_EXPIRED",
    extra: { requested_sequence: 1, earliest_sequence: 4, latest_sequence: 7, resync_reason: "retention" },
  });
  t.like(read(2), { code: "CURSOR_EXPIRED" });
  t.deepEqual(sequences(3), [4, 5, 6, 7]);
});

test("retention prunes by records, bytes and age, and the rows of what is gone", (t) => {
  for (const [retention, floor] of [
    [{ max_records: 10 }, 30],
    [{ max_bytes: 60 }, 30],
    [{ max_age_seconds: 100 }, 20],
  ] as const) {
    const { driver, address, append, ask, sequences } = start({ retention });
    append(20, { payload: "1234" });
    driver.advance(50_000);
    append(20, { payload: "1234" });
    driver.advance(60_000);
    t.like(ask("GetStream"), { earliest_sequence: floor + 1 });
    const rows = driver.rows(address, "chunks").scan({ collection: "chunks", limit: 100 });
    t.deepEqual(
      rows.map(({ key }) => key[0]),
      [40],
    );
    driver.restart();
    t.deepEqual(sequences(floor), upTo(floor + 1, 40));
    t.deepEqual(driver.unlikeReplay(address), []);
  }
});

test("the floor is published before anything is deleted, and a hold stops the pruning in the middle", (t) => {
  const { driver, address, append, ask, read } = start({ retention: { max_records: 2 } });
  append(2);
  append(2);
  driver.tell(address, { type: "trim" });
  const rows = () => driver.rows(address, "chunks").scan({ collection: "chunks", limit: 100 }).length;
  t.like(read(0), { code: "CURSOR_EXPIRED" });
  t.is(rows(), 2);
  t.like(ask("SetLegalHold", { held: true, reason: "inquiry", reference: "17" }), {
    legal_hold: { reason: "inquiry", reference: "17", set_by: "tester" },
  });
  driver.advance(60_000);
  t.is(rows(), 2);
  append(5);
  driver.advance(60_000);
  t.like(ask("GetStream"), { earliest_sequence: 3, latest_sequence: 9 });
  t.is(ask("SetLegalHold", { held: false }).legal_hold, undefined);
  driver.advance(60_000);
  t.like(ask("GetStream"), { earliest_sequence: 8 });
  t.is(rows(), 1);
});

test("a hold needs a reason", (t) => {
  t.like(start().ask("SetLegalHold", { held: true }), { code: "INVALID_ARGUMENT" });
});

test("the definition is immutable: the same create returns the stream, another one is refused", (t) => {
  const { create, id } = start({ metadata_home: "eu-1" });
  t.is(create().id, id);
  t.like(create({ metadata_home: "us-1" }), { code: "ALREADY_EXISTS" });
  t.not(create({ name: "other" }).id, id);
});

test("redaction is applied before the record is stored", (t) => {
  const { driver, address, append, read } = start({
    redaction: { json_pointers: ["/user/mail", "/list/*/a~1b"] },
  });
  append(1, { payload: { user: { mail: "secret@x", name: "n" }, list: [{ "a/b": "secret" }, 1] } });
  const [record] = read(0).records as Message[];
  t.deepEqual(record!.payload, {
    user: { mail: "[redacted]", name: "n" },
    list: [{ "a/b": "[redacted]" }, 1],
  });
  const stored = JSON.stringify(driver.rows(address, "chunks").scan({ collection: "chunks", limit: 9 }));
  t.false(stored.includes("secret"));
});

test("the roles of the definition are asked for beside the permission", (t) => {
  const roles = { read_roles: ["viewer"], append_roles: ["writer"], ack_roles: ["reader"] };
  const { ask } = start({ authorization: roles });
  const records = [{ payload: 1 }];
  t.like(ask("AppendRecords", { records, roles: ["viewer"] }), { code: "PERMISSION_DENIED" });
  t.like(ask("AppendRecords", { records, roles: ["writer"] }), { first_sequence: 1 });
  t.like(ask("ReadRecords", { roles: ["writer"] }), { code: "PERMISSION_DENIED" });
  t.like(ask("ReadRecords", { roles: ["viewer"] }), { latest_sequence: 1 });
  t.like(ask("Acknowledge", { consumer_id: "c", sequence: 1, roles: ["viewer"] }), {
    code: "PERMISSION_DENIED",
  });
  t.like(ask("Acknowledge", { consumer_id: "c", sequence: 1, roles: ["reader"] }), {
    acknowledged_sequence: 1,
  });
});

test("a stream of another environment or run is not found", (t) => {
  const { driver, address, id } = start({}, { environment: "staging" });
  const request = { run_id: runId, stream_id: id };
  const caller = { environment: "production" };
  t.like(driver.ask(address, `${service}.GetStream`, request, { caller }), { code: "NOT_FOUND" });
  t.like(driver.ask(address, `${service}.GetStream`, request, { caller: { environment: "staging" } }), {
    id,
  });
});

test("bounds: consumers, producers and streams of a run", (t) => {
  const { driver, ask, address } = start();
  const state = driver.state<{ head: { producers: number }; consumers: Map<string, object> }>(address);
  state.head.producers = limits.streamProducersMax;
  const producer = { id: "p", epoch: 0, sequence: 0 };
  t.like(ask("AppendRecords", { records: [{ payload: 1, producer }] }), { reason: "LIMIT_REACHED" });
  for (let n = 0; n < limits.streamConsumersMax; n++)
    state.consumers.set(`c${n}`, { id: `c${n}`, acked: 0, bytes: 0 });
  t.like(ask("PutConsumer", { consumer_id: "one-more" }), { reason: "LIMIT_REACHED" });
  t.like(ask("Acknowledge", { consumer_id: "one-more", sequence: 0 }), { reason: "LIMIT_REACHED" });
});

test("pages of consumers and streams end with a cursor that opens the next page only", (t) => {
  const { driver, run, create, ask } = start();
  for (const consumer_id of ["a", "b", "c"]) ask("PutConsumer", { consumer_id });
  const page = ask("ListConsumers", { page_size: 2 });
  t.is(page.total, 3);
  t.like(ask("ListConsumers", { page_size: 2, page_token: page.next_page_token }), {
    consumers: [{ consumer_id: "c" }],
    next_page_token: "",
  });
  driver.now++;
  create({ name: "t" });
  const list = (request: Message) => driver.ask(run, `${service}.ListStreams`, request) as Message;
  const first = list({ page_size: 1 });
  t.is(first.total, 2);
  t.like(list({ page_size: 1, page_token: first.next_page_token }), {
    streams: [{ name: "t" }],
    next_page_token: "",
  });
  t.like(list({ page_token: page.next_page_token as string }), { code: "INVALID_ARGUMENT" });
});

function startRun() {
  const started = start();
  const { driver, run } = started;
  const wait = (request: Message, later?: (answer: unknown) => void) =>
    driver.ask(
      run,
      "WorkflowWaitService.WaitForEvent",
      { run_id: runId, ...request },
      {
        ...(later && { later }),
      },
    ) as { event?: Message };
  const signal = (request: Message) =>
    driver.ask(run, "Run.Publish", { run_id: runId, ...request }) as Message;
  return { ...started, wait, signal };
}

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
  const events = [{ id: first.event_id, key: "stream.s", payload: first.payload }];
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

const intent = { idempotency_key: "k", digest: "0".repeat(64), size: 10 };

test("an object that is not committed in time expires, and its bytes are deleted", (t) => {
  const { driver, address, ask } = start();
  const { object_id, authorization_receipt: receipt } = ask("PrepareObject", intent);
  driver.ask(address, "Stream.NoteUpload", { run_id: runId, object_id, receipt });
  driver.advance(limits.streamObjectExpiryMs);
  t.like(ask("CommitObject", { object_id, receipt }), { reason: "OBJECT_EXPIRED" });
  t.like(driver.effects(address), [{ kind: "stream_object_delete" }]);
  t.deepEqual(driver.timers(address), []);
});

test("the bytes of an object are deleted with its record, not before, and not under a hold", (t) => {
  const { driver, address, append, ask } = start({ retention: { max_records: 1 } });
  const { object_id, authorization_receipt: receipt } = ask("PrepareObject", intent);
  driver.ask(address, "Stream.NoteUpload", { run_id: runId, object_id, receipt });
  t.like(ask("CommitObject", { object_id, receipt }), { sequence: 1 });
  ask("SetLegalHold", { held: true, reason: "r" });
  append(2);
  driver.advance(60_000);
  t.deepEqual(driver.effects(address), []);
  t.like(driver.ask(address, "Stream.FindObject", { run_id: runId, object_id }), { size: 10 });
  ask("SetLegalHold", { held: false });
  driver.tell(address, { type: "trim" });
  t.like(driver.ask(address, "Stream.FindObject", { run_id: runId, object_id }), { code: "NOT_FOUND" });
  driver.advance(60_000);
  t.like(driver.effects(address), [{ kind: "stream_object_delete" }]);
  t.deepEqual(driver.unlikeReplay(address), []);
  t.not(ask("PrepareObject", intent).object_id, object_id);
});

test("a stream has so many objects that are not committed, and no more", (t) => {
  const { driver, address, ask } = start();
  driver.state<{ head: { openObjects: number } }>(address).head.openObjects = limits.streamObjectsOpenMax;
  t.like(ask("PrepareObject", intent), { reason: "LIMIT_REACHED" });
});
