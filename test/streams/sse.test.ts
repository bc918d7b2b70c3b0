import { setTimeout as sleep } from "node:timers/promises";
import { limits } from "#base";
import { send } from "../contract/support/rest-client.ts";
import { eventually } from "../support/eventually.ts";
import { adapters, newStream, sequencesOf, take, test, upTo } from "./support.ts";

for (const adapter of adapters) {
  test(`${adapter}: rule 2: stored records come first, then appended ones, each once and in order`, async (t) => {
    const { append, subscribe } = await newStream(t, adapter);
    await append(30);
    const reader = await subscribe();
    t.is(reader.status, 200);
    t.is(reader.headers.get("content-type"), "text/event-stream");
    t.is(reader.headers.get("cache-control"), "no-store");
    t.is(reader.headers.get("x-accel-buffering"), "no");
    const taken = take(reader, 90);
    for (let n = 0; n < 30; n++) await append(2);
    const events = await taken;
    t.deepEqual(sequencesOf(events), upTo(1, 90));
    t.is(reader.retryMs, limits.sseRetryMs);
    t.like(JSON.parse(events[0]!.data!), { sequence: 1, kind: "data", payload: { n: 0 } });
  });

  test(`${adapter}: appends concurrent with the subscription are neither missed nor doubled (edge cases 1, 2)`, async (t) => {
    const { append, subscribe } = await newStream(t, adapter);
    const total = 60;
    const appending = (async () => {
      for (let n = 0; n < total; n++) await append();
    })();
    const readers = [];
    for (let n = 0; n < 6; n++) {
      const reader = await subscribe();
      readers.push(take(reader, total));
      await sleep(5);
    }
    await appending;
    for (const events of await Promise.all(readers)) t.deepEqual(sequencesOf(events), upTo(1, total));
  });

  test(`${adapter}: a reader that is behind the records in memory reads rows (edge case 3)`, async (t) => {
    const { append, subscribe } = await newStream(t, adapter);
    await append();
    const reader = await subscribe();
    const events: Promise<unknown>[] = [];
    const total = limits.streamLiveRecordsMax * 3 + 1;
    for (let n = 0; n < 3; n++) events.push(append(limits.streamLiveRecordsMax));
    await Promise.all(events);
    t.deepEqual(sequencesOf(await take(reader, total)), upTo(1, total));
  });

  test(`${adapter}: two connections with the same cursor get the same records (edge case 4)`, async (t) => {
    const { append, subscribe } = await newStream(t, adapter);
    await append(5);
    const readers = await Promise.all([1, 2].map(() => subscribe("", { "last-event-id": "2" })));
    for (const reader of readers) t.deepEqual(sequencesOf(await take(reader, 3)), [3, 4, 5]);
  });

  test(`${adapter}: Last-Event-ID wins over after_sequence (edge case 6)`, async (t) => {
    const { append, subscribe } = await newStream(t, adapter);
    await append(5);
    const reader = await subscribe("?after_sequence=1", { "last-event-id": "3" });
    t.deepEqual(sequencesOf(await take(reader, 2)), [4, 5]);
  });

  test(`${adapter}: a cursor beyond the latest record, or an invalid one, is refused (edge case 5)`, async (t) => {
    const { append, subscribe } = await newStream(t, adapter);
    await append(2);
    for (const id of ["3", "x", "-1", "1.5", "1e99"]) {
      const reader = await subscribe("", { "last-event-id": id });
      t.is(reader.status, 400, id);
      t.is(reader.headers.get("content-type"), "application/problem+json");
      if (id === "3")
        t.like(JSON.parse(await reader.text()), { errorCode: "INVALID_ARGUMENT", latest_sequence: 2 });
    }
  });

  test(`${adapter}: a closed stream ends with "end", and a client that comes back gets 204`, async (t) => {
    const { path, call, append, subscribe } = await newStream(t, adapter);
    await append(2);
    const live = await subscribe();
    const taken = take(live, 3);
    await call("POST", `${path}/close`, {});
    const events = await taken;
    t.deepEqual(
      events.map(({ event }) => event),
      ["record", "record", "end"],
    );
    t.deepEqual(JSON.parse(events[2]!.data!), { latest_sequence: 2 });
    const again = await subscribe("", { "last-event-id": "2" });
    t.is(again.status, 204);
    t.is(await again.text(), "");
    const late = await subscribe("?after_sequence=2");
    t.deepEqual(
      (await take(late, 1)).map(({ event }) => event),
      ["end"],
    );
  });

  test(`${adapter}: rule 4: a reader whose next record was pruned gets 410, or the event it asked for (edge case 7)`, async (t) => {
    const { path, call, append, subscribe } = await newStream(t, adapter, { retention: { max_records: 3 } });
    await append(5);
    await eventually("the low watermark has moved", async () => {
      const { data } = await call("GET", path);
      return data.earliest_sequence === 3 || undefined;
    });
    const told = {
      requested_sequence: 2,
      earliest_sequence: 3,
      latest_sequence: 5,
      resync_reason: "retention",
    };
    const refused = await subscribe("?after_sequence=1");
    t.is(refused.status, 410);
    t.like(JSON.parse(await refused.text()), { errorCode: "CURSOR_EXPIRED", ...told });
    const page = await call("GET", `${path}/records?after_sequence=1`);
    t.is(page.status, 410);
    t.like(page.json, told);
    const [gone] = await take(await subscribe("?after_sequence=1&gone=event"), 1);
    t.is(gone!.event, "gone");
    t.deepEqual(JSON.parse(gone!.data!), told);
    t.deepEqual(sequencesOf(await take(await subscribe("?after_sequence=2"), 3)), [3, 4, 5]);
  });

  test(`${adapter}: an Accept header without text/event-stream gets 406; HEAD has the headers of GET`, async (t) => {
    const { port, path, subscribe } = await newStream(t, adapter);
    for (const accept of ["application/json", "text/event-stream;q=0", "image/*"]) {
      const reader = await subscribe("", { accept });
      t.is(reader.status, 406, accept);
      t.like(JSON.parse(await reader.text()), { errorCode: "NOT_ACCEPTABLE" });
    }
    for (const accept of ["*/*", "text/event-stream", "text/html, text/event-stream;q=0.5"]) {
      const reader = await subscribe("", { accept });
      t.is(reader.status, 200, accept);
    }
    const head = await send(port, "HEAD", `${path}/subscribe`, undefined, {});
    t.is(head.status, 200);
    t.is(head.headers.get("content-type"), "text/event-stream");
    t.is((await send(port, "POST", `${path}/subscribe`, "{}", {})).status, 405);
    t.is((await send(port, "GET", `${path}/subscribe?unknown=1`, undefined, {})).status, 400);
  });

  test(`${adapter}: events are never compressed, whatever Accept-Encoding says`, async (t) => {
    const { append, subscribe } = await newStream(t, adapter);
    await append(1, "x".repeat(5_000));
    const reader = await subscribe("", { "accept-encoding": "gzip" });
    t.is(reader.headers.get("content-encoding"), undefined);
    t.is((await take(reader, 1)).length, 1);
  });

  test(`${adapter}: line breaks, NUL and other unusual texts arrive as they were sent (edge case 23)`, async (t) => {
    const { append, subscribe } = await newStream(t, adapter);
    const payload = "a\r\nb\rc\nd\u0000\u2028\ufeff\n\ndata: x\nid: 9\nü😀";
    await append(1, payload);
    const [event] = await take(await subscribe(), 1);
    t.is(JSON.parse(event!.data!).payload, payload);
    t.is(event!.id, "1");
  });

  test(`${adapter}: a client that does not read delays neither appends nor other readers (rule 7)`, async (t) => {
    const { append, subscribe, path, call } = await newStream(t, adapter);
    const stalled = await subscribe();
    stalled.response.pause();
    const reader = await subscribe();
    const taken = take(reader, 300);
    for (let n = 0; n < 30; n++) t.is((await append(10, "x".repeat(20_000))).status, 200);
    t.deepEqual(sequencesOf(await taken), upTo(1, 300));
    t.is((await call("GET", path)).data.latest_sequence, 300);
    t.deepEqual(sequencesOf(await take(stalled, 300)), upTo(1, 300));
  });
}
