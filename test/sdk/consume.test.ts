import test from "ava";
import { type StreamGone, type StreamRecord, Switchyard, SwitchyardError } from "#sdk";
import { Server } from "../crash/server.ts";
import { eventually } from "../support/eventually.ts";
import { startProxy } from "../support/proxy.ts";

/** `CONSUME_KILLS=20` by hand. */
const kills = Number(process.env.CONSUME_KILLS ?? 3);
const run = "01J9ZC5T8N4W0QK7V3M2B6XH1D";
const server = new Server();
const target = { host: "127.0.0.1", port: 0 };
let proxy: Awaited<ReturnType<typeof startProxy>>;
let sy: Switchyard;

async function restart(): Promise<void> {
  await server.start();
  target.port = server.ports.http!;
}

test.before(async () => {
  await restart();
  proxy = await startProxy(target);
  sy = new Switchyard({ url: `http://127.0.0.1:${proxy.port}`, timeoutMs: 120_000, retries: 1_000 });
});
test.after.always(async () => {
  await proxy.close();
  await server.remove();
});

async function newStream(name: string, definition = {}): Promise<string> {
  const { id } = await sy.streams.create({ run_id: run, name, content_classes: ["json"], ...definition });
  return id;
}

async function append(stream_id: string, from: number, count: number): Promise<void> {
  const records = Array.from({ length: count }, (_, index) => ({ payload: { number: from + index } }));
  await sy.streams.append({ run_id: run, stream_id, records });
}

/** A closed stream that keeps the records 5 to 7; the consumer has acknowledged 2. */
async function newPrunedStream(name: string, consumer_id: string): Promise<string> {
  const stream_id = await newStream(name, { retention: { max_records: 3 } });
  await append(stream_id, 1, 2);
  await sy.streams.putConsumer({ run_id: run, stream_id, consumer_id });
  await sy.streams.ack({ run_id: run, stream_id, consumer_id, sequence: 2 });
  await append(stream_id, 3, 5);
  await eventually("retention has removed the records before 5", async () => {
    const { earliest_sequence } = await sy.streams.get({ run_id: run, stream_id });
    return earliest_sequence === 5 || undefined;
  });
  await sy.streams.close({ run_id: run, stream_id });
  return stream_id;
}

async function acknowledgedOf(stream_id: string): Promise<number | undefined> {
  const [consumer] = (await sy.streams.listConsumers({ run_id: run, stream_id }).page()).data;
  return consumer?.acknowledged_sequence;
}

const sequence = (length: number) => Array.from({ length }, (_, index) => index + 1);

test.serial(
  `${kills} kills of the server: a consumer gets the exact sequence, each record once`,
  async (t) => {
    t.timeout(1_800_000);
    const stream = await newStream("killed");
    const seen: number[] = [];
    const consumed = sy.consume(
      run,
      stream,
      { consumer: "one", batch: 10 },
      async ({ sequence, payload }: StreamRecord) => {
        t.deepEqual(payload, { number: sequence });
        seen.push(sequence);
        await new Promise((resolve) => setTimeout(resolve, 2));
      },
    );
    let appended = 0;
    const more = async (count: number) => {
      await append(stream, appended + 1, count);
      appended += count;
    };
    for (let kill = 0; kill < kills; kill++) {
      await more(200);
      const before = seen.length;
      await eventually("some more are handled", () => seen.length > before + 50 || undefined);
      const appending = more(50);
      await server.kill();
      await restart();
      await appending;
    }
    await sy.streams.close({ run_id: run, stream_id: stream });
    await consumed;
    t.deepEqual(seen, sequence(appended));
    t.is(await acknowledgedOf(stream), appended);
  },
);

test.serial("a consumer that is stopped goes on from its acknowledgement, whatever the batch", async (t) => {
  const stream = await newStream("stopped");
  await append(stream, 1, 30);
  const seen: number[] = [];
  const abort = new AbortController();
  const options = { consumer: "two", signal: abort.signal };
  const first = sy.consume(run, stream, options, ({ sequence }) => {
    seen.push(sequence);
    if (sequence === 12) abort.abort();
  });
  await first;
  await sy.streams.close({ run_id: run, stream_id: stream });
  await sy.consume(run, stream, { consumer: "two" }, ({ sequence }) => seen.push(sequence));
  t.deepEqual(seen, sequence(30));
});

test.serial("a handler that throws ends the consumer; what was handled before is acknowledged", async (t) => {
  const stream = await newStream("thrown");
  await append(stream, 1, 10);
  const handler = ({ sequence }: StreamRecord) => {
    if (sequence === 6) throw new Error("cannot");
  };
  await t.throwsAsync(sy.consume(run, stream, { consumer: "three" }, handler), { message: "cannot" });
  t.is(await acknowledgedOf(stream), 5);
});

test.serial(
  "given records that retention removed before they were read, when onGone says where to go on, then the kept ones are handled",
  async (t) => {
    const stream = await newPrunedStream("gone-on", "five");
    const seen: number[] = [];
    const told: StreamGone[] = [];
    const onGone = (gone: StreamGone) => {
      told.push(gone);
      return gone.earliest_sequence - 1;
    };
    await sy.consume(run, stream, { consumer: "five", onGone }, ({ sequence }) => seen.push(sequence));
    const gone = {
      requested_sequence: 3,
      earliest_sequence: 5,
      latest_sequence: 7,
      resync_reason: "retention",
    };
    t.deepEqual(told, [gone]);
    t.deepEqual(seen, [5, 6, 7]);
    t.is(await acknowledgedOf(stream), 7);
  },
);

test.serial(
  "given records that retention removed before they were read, when there is no onGone, then consume throws",
  async (t) => {
    const stream = await newPrunedStream("gone-thrown", "six");
    const consumed = sy.consume(run, stream, { consumer: "six" }, () => t.fail());
    const error = await t.throwsAsync(consumed, { instanceOf: SwitchyardError });
    t.like(error, { code: "CURSOR_EXPIRED", reason: "retention", status: 410, retryable: false });
    t.regex(error!.detail, /record 3 is not kept.* the first one that is has the sequence 5/);
    t.is(await acknowledgedOf(stream), 2);
  },
);

test.serial("a missing stream is an error at once", async (t) => {
  const consumed = sy.consume(run, run, { consumer: "four" }, () => {});
  const error = await t.throwsAsync(consumed, { instanceOf: SwitchyardError });
  t.is(error.code, "NOT_FOUND");
});
