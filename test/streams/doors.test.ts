import { hash } from "node:crypto";
import type { ExecutionContext } from "ava";
import { limits } from "#base";
import { type Doors, doorsOf } from "../contract/support/clients.ts";
import type { TestService } from "../contract/support/service.ts";
import { eventually } from "../support/eventually.ts";
import { DoorStream, everyDoor, isSocket, sequencesOf } from "./door-stream.ts";
import { hashOf } from "./hash.ts";
import { test, upTo } from "./support.ts";

type Make = (definition?: Record<string, unknown>) => Promise<DoorStream>;
type Claim = (t: ExecutionContext<{ service: TestService }>, make: Make) => Promise<void>;

/** Claims about unary calls: REST on both servers, Connect and gRPC. */
const calls: Readonly<Record<string, Claim>> = {
  async "rule 1: a page has the records after its cursor, ascending"(t, make) {
    const stream = await make();
    await stream.append(5);
    t.deepEqual(await stream.sequences(2, { limit: 2 }), [3, 4]);
    t.deepEqual(await stream.sequences(5), []);
  },

  async "rule 5: a page after a future cursor is invalid (edge case 5)"(t, make) {
    const stream = await make();
    await stream.append(2);
    const { errorCode, detail } = await stream.refused("ReadRecords", { after_sequence: 3 });
    t.is(errorCode, "INVALID_ARGUMENT");
    t.regex(detail, /latest sequence 2/);
  },

  async "rule 6: over the total ceiling, and on a closed stream, nothing is appended"(t, make) {
    const full = await make({ ceilings: { total_items: 2 } });
    await full.append(2);
    t.like(await full.refused("AppendRecords", { records: [{ payload: 1 }] }), {
      errorCode: "QUOTA_EXCEEDED",
      retryAfterMs: undefined,
    });
    t.is(await full.latest(), 2);
    const closed = await make();
    await closed.get("CloseStream");
    t.like(await closed.refused("AppendRecords", { records: [{ payload: 1 }] }), {
      errorCode: "STATE_CONFLICT",
      reason: "STREAM_CLOSED",
    });
    t.is(await closed.latest(), 0);
  },

  async "rule 8: acknowledgements only advance (edge case 14)"(t, make) {
    const stream = await make();
    await stream.append(3);
    const ack = { consumer_id: "c", sequence: 2 };
    t.like(await stream.get("Acknowledge", ack), { acknowledged_sequence: 2, unread_items: 1 });
    t.like(await stream.get("Acknowledge", ack), { acknowledged_sequence: 2 });
    t.is((await stream.refused("Acknowledge", { ...ack, sequence: 1 })).reason, "ACK_REGRESSION");
    t.is((await stream.refused("Acknowledge", { ...ack, sequence: 4 })).errorCode, "INVALID_ARGUMENT");
    const other = await make();
    const elsewhere = { ...other.scope, stream_id: stream.scope.stream_id };
    t.is((await stream.refused("Acknowledge", { ...ack, ...elsewhere })).errorCode, "NOT_FOUND");
  },

  async "rule 9: backpressure says when to try again, and nothing is appended"(t, make) {
    const stream = await make({ ceilings: { unread_items: 2 } });
    await stream.append(2);
    const told = await stream.refused("AppendRecords", { records: [{ payload: 1 }] });
    t.like(told, { errorCode: "RATE_LIMITED", reason: "STREAM_BACKPRESSURE" });
    t.true(told.retryAfterMs! >= 1_000);
    t.is(await stream.latest(), 2);
  },

  async "rule 10: an input record publishes one event, whose id follows from the record"(t, make) {
    const stream = await make();
    const { run_id, stream_id } = stream.scope;
    await stream.get("AppendRecords", { records: [{ kind: "input", payload: 1 }] });
    const wait = { run_id, event_key: "stream.s", wait_ms: 30_000 };
    const heard = await stream.call("WorkflowWaitService.WaitForEvent", wait);
    t.true(heard.ok);
    const { event } = (heard as { message: { event: { event_id: string; payload: unknown } } }).message;
    const [{ tenant_id }] = [await stream.get<{ tenant_id: string }>("GetStream")];
    t.is(event.event_id, hash("sha256", [tenant_id, run_id, stream_id, 1].join("\0"), "hex"));
    t.deepEqual(event.payload, { stream_id, sequence: 1 });
    const next = { ...wait, after_event_id: event.event_id, wait_ms: 1 };
    const none = await stream.call("WorkflowWaitService.WaitForEvent", next);
    t.true(none.ok && (none.message as { event?: unknown }).event == null);
  },

  async "rule 11: regions are returned as they were recorded"(t, make) {
    const regions = { metadata_home: "eu-1", metadata_replicas: ["eu-2"], object_regions: ["eu-3"] };
    const stream = await make(regions);
    await stream.append();
    t.like(await stream.get("GetStream"), regions);
  },

  async "edge case 8: a page read while retention trims begins at its cursor, or gets 410"(t, make) {
    const stream = await make({ retention: { max_records: 5 } });
    let isOver = false;
    const writing = (async () => {
      for (let n = 0; n < 8; n++) await stream.append(5);
      isOver = true;
    })();
    for (let after = 0; !isOver || after < 40; ) {
      const outcome = await stream.ask("ReadRecords", { after_sequence: after, limit: 7, wait_ms: 300 });
      if (!outcome.ok) {
        t.is(outcome.error.errorCode, "CURSOR_EXPIRED");
        const { earliest_sequence: earliest } = await stream.get<{ earliest_sequence: number }>("GetStream");
        t.true(earliest > after + 1);
        after = earliest - 1;
        continue;
      }
      const { records } = outcome.message as { records: { sequence: number }[] };
      t.deepEqual(
        records.map(({ sequence }) => sequence),
        upTo(after + 1, after + records.length),
      );
      after += records.length;
    }
    await writing;
  },

  async "edge case 11: two concurrent writers get sequences without a gap"(t, make) {
    const stream = await make();
    const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => stream.append(1 + (n % 3))));
    const given = answers.flatMap((answer) => {
      const { first_sequence, last_sequence } = (answer as { message: Record<string, number> }).message;
      return upTo(first_sequence!, last_sequence!);
    });
    t.deepEqual(
      given.sort((a, b) => a - b),
      upTo(1, 24),
    );
  },

  async "edge case 12: a repeated append gets the same sequences"(t, make) {
    const stream = await make();
    const first = await stream.produce(0, 0, 3);
    await stream.append();
    const again = await stream.produce(0, 0, 3);
    t.like((first as { message: object }).message, { first_sequence: 1, last_sequence: 3, duplicate: false });
    t.like((again as { message: object }).message, { first_sequence: 1, last_sequence: 3, duplicate: true });
    t.is(await stream.latest(), 4);
  },

  async "edge case 13: a producer that takes over fences its predecessor"(t, make) {
    const stream = await make();
    await stream.produce(1, 0, 2);
    await stream.produce(2, 0, 1);
    const old = await stream.produce(1, 2, 2);
    t.true(!old.ok && old.error.reason === "PRODUCER_FENCED");
    const gap = await stream.produce(2, 5);
    t.true(!gap.ok && gap.error.reason === "PRODUCER_GAP");
    t.is(await stream.latest(), 3);
  },

  async "edge case 15: a blocked append goes on when the consumer it waits for is removed"(t, make) {
    const stream = await make({ ceilings: { unread_items: 2 }, overflow: "block", block_ms: 30_000 });
    await stream.get("PutConsumer", { consumer_id: "slow" });
    await stream.append(2);
    await stream.get("Acknowledge", { consumer_id: "quick", sequence: 2 });
    const blocked = stream.append();
    await stream.get("DeleteConsumer", { consumer_id: "slow" });
    t.true((await blocked).ok);
    t.is(await stream.latest(), 3);
  },

  async "edge case 16: a batch that alone exceeds the credit is accepted if everything is read"(t, make) {
    const stream = await make({ ceilings: { unread_items: 2 } });
    t.true((await stream.append(5)).ok);
    t.false((await stream.append()).ok);
  },

  async "edge case 17: a record of 64 KiB of UTF-8 is accepted, one byte more is refused"(t, make) {
    const stream = await make();
    // Two bytes per character, and two quotes.
    const text = "ü".repeat(limits.streamRecordBytesMax / 2 - 1);
    t.true((await stream.append(1, text)).ok);
    const over = await stream.refused("AppendRecords", { records: [{ payload: `${text}x` }] });
    t.is(over.errorCode, "PAYLOAD_TOO_LARGE");
    t.is(await stream.latest(), 1);
  },

  async "edge case 19: under a hold nothing is pruned and no object aborted; after the release both go on"(
    t,
    make,
  ) {
    const stream = await make({ retention: { max_records: 1 } });
    const { object_id } = await prepare(stream, Buffer.from("x"));
    await stream.get("SetLegalHold", { held: true, reason: "inquiry" });
    await stream.append(3);
    t.is((await stream.refused("AbortObject", { object_id })).reason, "LEGAL_HOLD");
    t.deepEqual(await stream.sequences(0), [1, 2, 3]);
    await stream.get("SetLegalHold", { held: false });
    await eventually("retention goes on", async () => {
      const { earliest_sequence } = await stream.get("GetStream");
      return earliest_sequence === 3 || undefined;
    });
    t.like(await stream.get("AbortObject", { object_id }), { state: "aborted" });
  },
};

/** Claims about streams: server-sent events on both servers, Connect and gRPC, and WebSockets on both servers. */
const streams: Readonly<Record<string, Claim>> = {
  async "rule 2: stored records come first, then appended ones, each once (edge cases 1, 2)"(t, make) {
    const stream = await make();
    await stream.append(10);
    const readers = upTo(1, 3).map(() => stream.subscribe({ after_sequence: 4 }, 36));
    for (let n = 0; n < 30; n++) await stream.append();
    for (const reader of readers) t.deepEqual(sequencesOf(await reader), upTo(5, 40));
  },

  async "rule 3: a record that one reader gets can be read by others at once"(t, make) {
    const stream = await make();
    for (let n = 1; n <= 5; n++) {
      const told = stream.subscribe({ after_sequence: n - 1 }, 1);
      const appended = stream.append();
      t.deepEqual(sequencesOf(await told), [n]);
      t.deepEqual(await stream.sequences(n - 1), [n]);
      t.true((await appended).ok);
    }
  },

  async "rule 4: a reader whose next record is pruned is refused, or gets the event it asked for (edge case 7)"(
    t,
    make,
  ) {
    const stream = await make({ retention: { max_records: 3 } });
    await stream.append(5);
    await eventually("the low watermark has moved", async () => {
      const { earliest_sequence } = await stream.get("GetStream");
      return earliest_sequence === 3 || undefined;
    });
    t.is((await stream.refused("ReadRecords", { after_sequence: 1 })).errorCode, "CURSOR_EXPIRED");
    t.is((await stream.subscribeRefused({ after_sequence: 1 })).errorCode, "CURSOR_EXPIRED");
    const [told] = await stream.subscribe({ after_sequence: 1, gone: "event" });
    t.deepEqual(told!.gone, {
      requested_sequence: 2,
      earliest_sequence: 3,
      latest_sequence: 5,
      resync_reason: "retention",
    });
    t.deepEqual(sequencesOf(await stream.subscribe({ after_sequence: 2 }, 3)), [3, 4, 5]);
  },

  async "rule 5: a subscription after a future cursor is invalid (edge case 5)"(t, make) {
    const stream = await make();
    await stream.append(2);
    t.is((await stream.subscribeRefused({ after_sequence: 3 })).errorCode, "INVALID_ARGUMENT");
  },

  async "rule 7: readers give no credit, acknowledgements do"(t, make) {
    const stream = await make({ ceilings: { unread_items: 2 } });
    await stream.append(2);
    t.deepEqual(sequencesOf(await stream.subscribe({}, 2)), [1, 2]);
    t.false((await stream.append()).ok);
    await stream.get("Acknowledge", { consumer_id: "c", sequence: 1 });
    t.true((await stream.append()).ok);
  },

  async "edge case 3: a reader that is behind the records in memory reads rows"(t, make) {
    const stream = await make();
    await stream.append();
    const total = limits.streamLiveRecordsMax * 2 + 1;
    const told = stream.subscribe({}, total);
    await Promise.all(upTo(1, 2).map(() => stream.append(limits.streamLiveRecordsMax)));
    t.deepEqual(sequencesOf(await told), upTo(1, total));
  },

  async "edge case 4: two readers with the same cursor get the same records"(t, make) {
    const stream = await make();
    await stream.append(5);
    for (const told of await Promise.all(upTo(1, 2).map(() => stream.subscribe({ after_sequence: 2 }, 3))))
      t.deepEqual(sequencesOf(told), [3, 4, 5]);
  },

  async "edge case 18: an object is uploaded, committed once and downloaded; other bytes are refused"(
    t,
    make,
  ) {
    const stream = await make();
    const bytes = Buffer.alloc(150_000, "object ");
    const { object_id, headers } = await prepare(stream, bytes);
    const pieces = (of: Buffer) =>
      upTo(0, 2).map((n) => ({ data: of.subarray(n * 50_000, (n + 1) * 50_000).toString("base64") }));
    const upload = (of: Buffer) => stream.stream("UploadObject", [{ object_id }, ...pieces(of)], { headers });
    t.false((await upload(Buffer.alloc(bytes.length))).ok);
    t.is((await stream.refused("CommitObject", { object_id }, headers)).reason, "OBJECT_NOT_UPLOADED");
    t.true((await upload(bytes)).ok);
    t.false((await stream.stream("GetObject", [{ object_id }])).ok);
    for (let n = 0; n < 2; n++)
      t.like(await stream.get("CommitObject", { object_id }, headers), { state: "committed", sequence: 1 });
    t.is((await stream.refused("AbortObject", { object_id })).reason, "OBJECT_COMMITTED");
    const down = await stream.stream("GetObject", [{ object_id }]);
    t.true(down.ok);
    const received = ((down as { message: unknown }).message as { data: string }[]).map(({ data }) => data);
    t.is(hashOf(Buffer.concat(received.map((data) => Buffer.from(data, "base64")))), hashOf(bytes));
    const over = { idempotency_key: "over", digest: hashOf(bytes), size: limits.streamObjectBytesMax + 1 };
    t.is((await stream.refused("PrepareObject", over)).errorCode, "INVALID_ARGUMENT");
  },

  async "edge case 22: appends that race with the close are all before the end, or refused"(t, make) {
    const stream = await make();
    const told = stream.subscribe();
    const appends = upTo(1, 10).map(() => stream.append());
    const closed = stream.get("CloseStream");
    appends.push(...upTo(1, 10).map(() => stream.append()));
    const taken = (await Promise.all(appends)).filter(({ ok }) => ok).length;
    await closed;
    const answers = await told;
    t.deepEqual(sequencesOf(answers), upTo(1, taken));
    t.deepEqual(answers.at(-1)!.end, { latest_sequence: taken });
  },

  async "edge case 23: unusual texts arrive as they were sent"(t, make) {
    const stream = await make();
    const payload = "a\r\nb\rc\nd\u0000\u2028\ufeff\n\ndata: x\nid: 9\nü😀";
    await stream.append(1, payload);
    t.is((await stream.subscribe({}, 1))[0]!.record!.payload, payload);
  },
};

async function prepare(stream: DoorStream, bytes: Buffer) {
  const intent = { idempotency_key: "k", digest: hashOf(bytes), size: bytes.length };
  const prepared = await stream.get<{ object_id: string; authorization_receipt: string }>(
    "PrepareObject",
    intent,
  );
  return {
    object_id: prepared.object_id,
    headers: { "x-object-receipt": prepared.authorization_receipt },
  };
}

let doors: Doors | undefined;
test.after.always(() => {
  for (const door of Object.values(doors ?? {})) door.close?.();
});

for (const name of everyDoor)
  for (const [claim, show] of Object.entries(isSocket(name) ? streams : { ...calls, ...streams }))
    test.serial(`${name}: ${claim}`, (t) => {
      doors ??= doorsOf(t.context.service);
      const door = doors[name];
      return show(t, (definition) => DoorStream.make(door, definition));
    });
