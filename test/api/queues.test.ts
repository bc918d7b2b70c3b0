import { api, type Message, openStream, test } from "./support.ts";

/** Items, queue control, admission and dead letters through the real listeners of `service dev`. */
interface Leased {
  readonly item: { readonly id: string; readonly key: string };
  readonly lease_token: string;
}

async function newPool(call: ReturnType<typeof api>, config: Message = {}) {
  const pool = await call("POST", "/api/pools", { name: "q", config });
  const recipient = await call("POST", `/api/pools/${pool.data.id}/recipients`, { name: "r" });
  return {
    queue: `/api/queues/${pool.data.id}`,
    dlq: `/api/dlq/${pool.data.id}`,
    poolId: pool.data.id as string,
    recipient_id: recipient.data.id as string,
  };
}

test("an item is enqueued, read, claimed, failed, completed and listed over REST", async (t) => {
  const call = api(t.context);
  const { queue, recipient_id } = await newPool(call, { backoff: { initial_ms: 1 } });
  const enqueued = await call("POST", `${queue}/items`, { key: "k", payload: { n: 1 }, dedup_id: "d" });
  t.is(enqueued.status, 201);
  const { id } = enqueued.data.item as { id: string };
  t.is(enqueued.headers.get("location"), `${queue}/items/${id}`);
  const duplicate = await call("POST", `${queue}/items`, { key: "k", dedup_id: "d" });
  t.is(duplicate.status, 200);
  t.like(duplicate.data, { admission: { outcome: "duplicate", existing_item_id: id } });
  t.like((await call("GET", `${queue}/items/${id}`)).data, { state: "ready", wait: { reason: "queued" } });
  const claim = async () =>
    (await call("POST", `${queue}/items:claim`, { recipient_id, wait_seconds: 5 })).data.items as Leased[];
  const [first] = await claim();
  const failed = await call("POST", `${queue}/items/${id}/fail`, {
    lease_token: first!.lease_token,
    error: "e",
  });
  t.like(failed.data, { state: "retry_wait", attempts: 1 });
  const [second] = await claim();
  t.is(second!.item.id, id);
  const late = await call("POST", `${queue}/items/${id}/complete`, { lease_token: first!.lease_token });
  t.is(late.status, 409);
  const completed = await call("POST", `${queue}/items/${id}/complete`, {
    lease_token: second!.lease_token,
    result: { ok: true },
  });
  t.like(completed.data, { state: "completed" });
  t.like((await call("GET", `${queue}/items/${id}`)).data, { state: "completed", result: { ok: true } });
  const listed = await call("GET", `${queue}/items?states=completed&limit=10`);
  t.like(listed.body, { total: 1, has_more: false, limit: 10 });
});

test("an enqueue with an Idempotency-Key happens once", async (t) => {
  const call = api(t.context);
  const { queue } = await newPool(call);
  const key = { "idempotency-key": "once" };
  const first = await call("POST", `${queue}/items`, { key: "a" }, key);
  const again = await call("POST", `${queue}/items`, { key: "a" }, key);
  t.deepEqual(again.data, first.data);
  t.is(again.headers.get("idempotent-replayed"), "true");
  t.is((await call("POST", `${queue}/items`, { key: "b" }, key)).status, 422);
  t.like((await call("GET", `${queue}/status`)).data, { depth: 1 });
});

test("batches, pause, drain, dead letters and groups work over REST", async (t) => {
  const call = api(t.context);
  const { queue, dlq, recipient_id } = await newPool(call, {
    admission: { concurrency: [{ key: "item.key", limit: 1 }] },
  });
  const batch = await call("POST", `${queue}/items:batch`, {
    items: [{ key: "a" }, { key: "a" }, { key: "b" }],
  });
  t.is((batch.data.results as unknown[]).length, 3);
  t.like((await call("POST", `${queue}/pause`, { reason: "x" })).data, { paused: true });
  t.deepEqual((await call("POST", `${queue}/items:claim`, { recipient_id })).data.items, []);
  t.like((await call("POST", `${queue}/resume`, {})).data, { paused: false });
  const claimed = await call("POST", `${queue}/items:claim`, { recipient_id, max_items: 10 });
  const leased = claimed.data.items as Leased[];
  t.deepEqual(
    leased.map(({ item }) => item.key),
    ["a", "b"],
  );
  const waiting = ((await call("GET", `${queue}/items?states=ready`)).body.data as { id: string }[])[0]!;
  const why = await call("GET", `${queue}/items/${waiting.id}/admission-explanation`);
  t.like(why.data, { status: "held", constraint_kind: "concurrency" });
  const groups = (await call("GET", "/api/queues/admission-groups?constraint_kind=concurrency")).body
    .data as Message[];
  const group = groups.find(({ group_id }) => group_id === why.data.group_id)!;
  t.like(group, { in_use: 1, limit: 1, waiting: 1, status: "active" });
  const settlements = leased.map(({ item, lease_token }) => ({
    queue_item_id: item.id,
    lease_token,
    outcome: "reject",
    error: "poison",
  }));
  const settled = await call("POST", `${queue}/items:settle`, { settlements });
  t.deepEqual(
    (settled.data.results as Message[]).map(({ state }) => state),
    ["dead", "dead"],
  );
  t.like((await call("GET", `${dlq}/stats`)).data, { depth: 2 });
  const retried = await call("POST", `${dlq}/retry`, { queue_item_ids: [leased[0]!.item.id] });
  t.like(retried.data, { succeeded: 1 });
  const nothing = await call("POST", `${dlq}/purge`, { older_than: "" });
  t.like(nothing.body, { status: 400, errors: [{ field: "older_than", reason: "must not be empty" }] });
  t.like((await call("POST", `${dlq}/purge`, { older_than: "0s" })).data, { purged: 1 });
  t.like((await call("POST", `${queue}/drain`, { max_items: 100 })).data, { drained: 2, remaining_depth: 0 });
  const preview = await call("POST", `${queue}:preview-admission`, { key: "z" });
  t.like(preview.data, { admission: { outcome: "enqueued" }, explanation: { status: "admitted" } });
});

test("a worker on the Work stream gets an item, settles it and is told so, also with bad frames in between", async (t) => {
  const call = api(t.context);
  const { queue, poolId, recipient_id } = await newPool(call);
  const { client, stream } = openStream(t.context, "QueueService", "Work");
  const refused: Message[] = [];
  const wrong = (id: string) => ({ queue_item_id: id, lease_token: "", outcome: "complete" });
  const done = new Promise<Message>((resolve, reject) => {
    stream.on("error", reject);
    stream.on("data", (frame: Record<string, Message>) => {
      if (frame.refused) refused.push(frame.refused);
      for (const { item, lease_token } of (frame.assigned?.items ?? []) as Leased[])
        stream.write({
          settle: { settlements: [{ queue_item_id: item.id, lease_token, outcome: "complete" }] },
        });
      if (frame.settled) resolve((frame.settled.results as Message[])[0]!);
    });
  });
  stream.write({ hello: { pool_id: poolId, recipient_id, credit: 5 } });
  stream.write({ credit: { items: 0 } });
  stream.write({ settle: { settlements: [wrong(poolId), wrong("x")] } });
  stream.write({ hello: { pool_id: poolId, recipient_id } });
  stream.write({});
  await call("POST", `${queue}/items`, { key: "w" });
  t.like(await done, { state: "completed", deliveries: 1 });
  t.deepEqual(
    refused.map(({ error, queue_item_ids }) => [
      (error as { errors: { field: string }[] }).errors.map(({ field }) => field),
      queue_item_ids,
    ]),
    [
      [["credit.items"], []],
      [
        [
          "settle.settlements[0].lease_token",
          "settle.settlements[1].queue_item_id",
          "settle.settlements[1].lease_token",
        ],
        [poolId, "x"],
      ],
      [[], []],
      [[], []],
    ],
  );
  stream.end();
  client.close();
});

test("a stream requested over HTTP/1.1 is refused, and the error names only ports that are open", async (t) => {
  const { http } = t.context.service.ports;
  const headers = { "content-type": "application/connect+json" };
  const url = `http://127.0.0.1:${http}/service.api.QueueService/Work`;
  const told = await (await fetch(url, { method: "POST", headers, body: "" })).text();
  t.regex(told, /QueueService\.Work needs HTTP\/2: it is served on /);
  t.notRegex(told, /:0\b/);
});

test("ids ascend in the order of the entries, in a batch of items and in a batch of routings", async (t) => {
  const call = api(t.context);
  const pool = (await call("POST", "/api/pools", { name: "ascending" })).data.id;
  await call("POST", `/api/pools/${pool}/recipients`, { name: "r" });
  const entries = Array.from({ length: 60 }, (_, index) => ({ key: `${index}` }));
  const items = await call("POST", `/api/queues/${pool}/items:batch`, { items: entries });
  const routes = await call("POST", `/api/pools/${pool}:route-batch`, { routes: entries });
  for (const [answer, member] of [
    [items, "item"],
    [routes, "routing"],
  ] as const) {
    const ids = (answer.data.results as Record<string, Message>[]).map((result) => result[member]?.id);
    t.is(new Set(ids).size, 60, JSON.stringify(answer.body).slice(0, 300));
    t.deepEqual(ids, [...ids].sort());
  }
});

test("an item without a payload has none over REST and Connect; a payload of null stays null", async (t) => {
  const call = api(t.context);
  const { queue, poolId, recipient_id } = await newPool(call);
  for (const [given, expected] of [
    [{}, []],
    [{ payload: null }, [null]],
  ] as const) {
    const payloadIn = (item: Message) => ("payload" in item ? [item.payload] : []);
    const made = (await call("POST", `${queue}/items`, given)).data.item as Message;
    t.deepEqual(payloadIn(made), expected);
    t.deepEqual(payloadIn((await call("GET", `${queue}/items/${made.id}`)).data), expected);
    const claimed = await call("POST", "/service.api.QueueService/Claim", { pool_id: poolId, recipient_id });
    t.deepEqual(payloadIn((claimed.body.items as { item: Message }[])[0]!.item), expected);
  }
});

test("an empty claim is not stored under its key: the same request gets an item later, and its repeat gets the same item", async (t) => {
  const call = api(t.context);
  const { queue, recipient_id } = await newPool(call);
  const claim = (wait_seconds?: number) =>
    call(
      "POST",
      `${queue}/items:claim`,
      { recipient_id, ...(wait_seconds && { wait_seconds }) },
      { "idempotency-key": `claim-${wait_seconds}` },
    );
  for (const wait of [undefined, 1]) {
    for (let i = 0; i < 2; i++) {
      const empty = await claim(wait);
      t.deepEqual(empty.data.items, []);
      t.is(empty.headers.get("idempotent-replayed"), null);
    }
    const { id } = (await call("POST", `${queue}/items`, {})).data.item as Leased["item"];
    const first = await claim(wait);
    t.is((first.data.items as Leased[])[0]?.item.id, id);
    const again = await claim(wait);
    t.deepEqual(again.data.items, first.data.items);
    t.is(again.headers.get("idempotent-replayed"), "true");
  }
});
