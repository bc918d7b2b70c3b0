import { randomBytes } from "node:crypto";
import { limits } from "#base";
import { sendRaw } from "../contract/support/raw-client.ts";
import { eventually } from "../support/eventually.ts";
import { hashOf } from "./hash.ts";
import { adapters, newStream, sequencesOf, take, test, upTo } from "./support.ts";

for (const adapter of adapters) {
  test.serial(
    `${adapter}: edge case 8: a page read while retention trims begins at its cursor or gets 410`,
    async (t) => {
      const { path, call, append } = await newStream(t, adapter, { retention: { max_records: 10 } });
      let isOver = false;
      const writing = (async () => {
        for (let n = 0; n < 20; n++) await append(5);
        isOver = true;
      })();
      let pages = 0;
      let gone = 0;
      for (let after = 0; !isOver || after < 100; ) {
        const { status, data, json } = await call(
          "GET",
          `${path}/records?after_sequence=${after}&limit=7&wait_ms=500`,
        );
        if (status === 410) {
          gone++;
          t.true((json.earliest_sequence as number) > after + 1);
          after = (json.earliest_sequence as number) - 1;
          continue;
        }
        pages++;
        const records = data.records as { sequence: number }[];
        t.deepEqual(
          records.map(({ sequence }) => sequence),
          upTo(after + 1, after + records.length),
        );
        // Behind on purpose, so that retention passes its position.
        after = pages % 5 === 0 && gone < 3 ? Math.max(0, after - 20) : after + records.length;
      }
      await writing;
      t.true(pages > 0);
    },
  );

  test.serial(
    `${adapter}: edge case 9: a reader that does not read while retention passes it is told "gone" when it reads`,
    async (t) => {
      const { path, call, append, subscribe } = await newStream(t, adapter, {
        retention: { max_records: 20 },
      });
      await append();
      let reader = await subscribe();
      reader.response.pause();
      // Far more than sockets and the records in memory hold.
      const payload = "x".repeat(60_000);
      for (let n = 0; n < 12; n++) await append(10, payload);
      await eventually("the low watermark has moved", async () => {
        const { data } = await call("GET", path);
        return data.earliest_sequence === 102 || undefined;
      });
      const sequences: number[] = [];
      for (let gone = false; !gone; ) {
        try {
          for await (const { event, id, data } of reader.events()) {
            if (event === "record") sequences.push(Number(id));
            if (event !== "gone") continue;
            const requested_sequence = sequences.length + 1;
            t.like(JSON.parse(data!), {
              requested_sequence,
              earliest_sequence: 102,
              resync_reason: "retention",
            });
            gone = true;
            break;
          }
        } catch {
          // If this took longer than a client may be silent, the client was cut off and comes back.
          reader = await subscribe("?gone=event", { "last-event-id": String(sequences.at(-1)) });
        }
      }
      t.deepEqual(sequences, upTo(1, sequences.length));
      t.true(sequences.length < 101);
    },
  );

  test.serial(
    `${adapter}: edge case 11: two concurrent writers: sequences have no gap, and each answer names its own records`,
    async (t) => {
      const { path, call, append } = await newStream(t, adapter);
      const named = new Map<number, string>();
      const write = async (writer: string) => {
        for (let n = 0; n < 15; n++) {
          const payload = `${writer}-${n}`;
          const { data } = await append(1 + (n % 3), payload);
          for (const sequence of upTo(data.first_sequence as number, data.last_sequence as number)) {
            t.false(named.has(sequence));
            named.set(sequence, payload);
          }
        }
      };
      await Promise.all(["a", "b"].map(write));
      const { data } = await call("GET", `${path}/records?limit=1000`);
      const records = data.records as { sequence: number; payload: string }[];
      t.deepEqual(
        records.map(({ sequence }) => sequence),
        upTo(1, named.size),
      );
      for (const { sequence, payload } of records) t.is(named.get(sequence), payload);
    },
  );

  test.serial(
    `${adapter}: edge case 14: concurrent acknowledgements end at the highest; none goes beyond the latest record`,
    async (t) => {
      const { path, call, append, subscribe } = await newStream(t, adapter);
      await append(20);
      const ack = (sequence: number) => call("POST", `${path}/consumers/c/ack`, { sequence });
      const answers = await Promise.all(upTo(1, 20).map((n) => ack((n * 8) % 21)));
      for (const { status, json } of answers)
        if (status !== 200) t.is(json.reason, "ACK_REGRESSION", JSON.stringify(json));
      const { json } = await call("GET", `${path}/consumers`);
      t.like((json.data as object[])[0], { acknowledged_sequence: 20, unread_items: 0 });
      t.is((await ack(21)).status, 400);
      // A record that was not delivered may be acknowledged: the client may have read it elsewhere.
      t.is((await call("POST", `${path}/consumers/unread/ack`, { sequence: 20 })).status, 200);
      t.deepEqual(sequencesOf(await take(await subscribe("?after_sequence=19"), 1)), [20]);
    },
  );

  test.serial(
    `${adapter}: edge case 18: of a concurrent commit and abort one wins, and both answers name it`,
    async (t) => {
      const { path, port, call } = await newStream(t, adapter);
      for (let n = 0; n < 4; n++) {
        const bytes = randomBytes(100);
        const intent = { idempotency_key: `k${n}`, digest: hashOf(bytes), size: bytes.length };
        const { data } = await call("POST", `${path}/objects`, intent);
        const object = data.upload_path as string;
        const receipt = { "x-object-receipt": data.authorization_receipt as string };
        await sendRaw(port, "PUT", object, { ...receipt, "content-length": "100" }, bytes);
        const acts = [
          () => call("POST", `${object}/commit`, {}, receipt),
          () => call("POST", `${object}/abort`, {}),
        ];
        const [first, second] = await Promise.all(
          (n % 2 === 0 ? acts : acts.toReversed()).map((act) => act()),
        );
        const [won, lost] = first!.status === 200 ? [first!, second!] : [second!, first!];
        t.is(won.status, 200);
        t.is(lost.status, 409);
        t.is(lost.json.reason, `OBJECT_${(won.data.state as string).toUpperCase()}`);
        t.is((await sendRaw(port, "GET", object)).status, won.data.state === "committed" ? 200 : 404);
      }
    },
  );

  test.serial(
    `${adapter}: edge case 19: a second hold replaces the first, and one release ends it`,
    async (t) => {
      const { path, call, append } = await newStream(t, adapter, { retention: { max_records: 1 } });
      const hold = (body: Record<string, unknown>) => call("PUT", `${path}/legal-hold`, body);
      await hold({ held: true, reason: "a", reference: "1" });
      t.like((await hold({ held: true, reason: "b", reference: "2" })).data.legal_hold, { reference: "2" });
      await append(5);
      await hold({ held: false });
      await eventually("retention goes on", async () => {
        const { data } = await call("GET", path);
        return data.earliest_sequence === 5 || undefined;
      });
      t.is((await call("GET", path)).data.legal_hold, undefined);
    },
  );

  test.serial(
    `${adapter}: edge case 22: appends that race with the close are all before the end, or refused`,
    async (t) => {
      const { path, call, append, subscribe } = await newStream(t, adapter);
      const reader = await subscribe();
      const events = (async () => {
        const seen = [];
        for await (const event of reader.events()) {
          seen.push(event);
          if (event.event === "end") break;
        }
        return seen;
      })();
      const appends = Array.from({ length: 10 }, () => append());
      const closed = call("POST", `${path}/close`, {});
      appends.push(...Array.from({ length: 10 }, () => append()));
      const answers = await Promise.all(appends);
      const taken = answers.filter(({ status }) => status === 200);
      for (const { status, json } of answers)
        if (status !== 200) t.is(json.reason, "STREAM_CLOSED", JSON.stringify(json));
      t.is((await closed).status, 200);
      const { data } = await call("GET", path);
      t.is(data.latest_sequence, taken.length);
      const seen = await events;
      t.deepEqual(sequencesOf(seen), upTo(1, taken.length));
      t.is(seen.at(-1)!.event, "end");
    },
  );

  test.serial(
    `${adapter}: rule 9: backpressure is 429 with Retry-After in seconds, and nothing is appended`,
    async (t) => {
      const { path, call, append } = await newStream(t, adapter, { ceilings: { unread_items: 2 } });
      await append(2);
      const refused = await append();
      t.is(refused.status, 429, JSON.stringify(refused.json));
      t.is(refused.json.reason, "STREAM_BACKPRESSURE");
      const seconds = Number(refused.headers.get("retry-after"));
      t.true(seconds >= 1 && seconds <= limits.streamRetryAfterSecondsMax);
      t.is((await call("GET", path)).data.latest_sequence, 2);
    },
  );

  test.serial(
    `${adapter}: rule 6: over the total ceiling an append gets QUOTA_EXCEEDED without a retry time`,
    async (t) => {
      const { path, call, append } = await newStream(t, adapter, { ceilings: { total_items: 2 } });
      await append(2);
      const refused = await append();
      t.is(refused.json.errorCode, "QUOTA_EXCEEDED");
      t.is(refused.json.resets_at, undefined);
      t.is(refused.headers.get("retry-after"), undefined);
      t.is((await call("GET", path)).data.latest_sequence, 2);
    },
  );
}
