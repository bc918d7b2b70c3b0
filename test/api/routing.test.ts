import { api, type Message, openStream, test } from "./support.ts";

/** Pools, recipients, rules, routing and outcomes through the real listeners of `service dev`. */
test("a pool is created, read, patched, disabled, listed and deleted over REST", async (t) => {
  const call = api(t.context);
  const created = await call("POST", "/api/pools", { name: "life", config: { lease_seconds: 60 } });
  t.is(created.status, 201);
  const path = `/api/pools/${created.data.id}`;
  t.is(created.headers.get("location"), path);
  const patched = await call("PATCH", path, {
    description: "d",
    config: { lease_seconds: null, max_attempts: 9 },
  });
  t.like(patched.data, {
    description: "d",
    record_version: 2,
    config: { lease_seconds: 30, max_attempts: 9 },
  });
  t.is((await call("PATCH", path, { name: "x", record_version: 1 })).body.errorCode, "VERSION_CONFLICT");
  t.is((await call("PATCH", path, { name: "x" }, { "if-match": '"1"' })).status, 412);
  t.is((await call("PATCH", path, { record_version: 2, tenant_id: "x" })).status, 400);
  t.is((await call("POST", `${path}:set_enabled`, { enabled: false })).data.status, "STATUS_DISABLED");
  t.like((await call("POST", `${path}:route`, {})).body, {
    errorCode: "FAILED_PRECONDITION",
    reason: "POOL_DISABLED",
  });
  const listed = await call("GET", "/api/pools?status=STATUS_DISABLED");
  t.deepEqual(
    (listed.body.data as Message[]).map(({ id }) => id),
    [created.data.id],
  );
  t.is(listed.body.total, 1);
  t.deepEqual((await call("DELETE", path)).data, { id: created.data.id, deleted: true });
  t.is((await call("GET", path)).status, 404);
  t.is((await call("GET", "/api/pools/nonsense")).status, 400);
});

test("a create with an idempotency key makes one pool", async (t) => {
  const call = api(t.context);
  const headers = { "idempotency-key": "make-one" };
  const first = await call("POST", "/api/pools", { name: "once" }, headers);
  const again = await call("POST", "/api/pools", { name: "once" }, headers);
  t.is(again.data.id, first.data.id);
  t.is(again.headers.get("idempotent-replayed"), "true");
  t.is((await call("POST", "/api/pools", { name: "other" }, headers)).status, 422);
});

test("a repeated request that is executed only now, behind a redirect, is not marked as a replay", async (t) => {
  const call = api(t.context);
  const make = async () => (await call("POST", "/api/pools", { name: "hop" })).data.id as string;
  const [first, second] = [await make(), await make()];
  const action = { redirect: { pool_id: second } };
  await call("POST", `/api/pools/${first}/rules`, { name: "on", action });
  const shut = { name: "shut", action: { reject: { reason: "not yet" } } };
  const rule = (await call("POST", `/api/pools/${second}/rules`, shut)).data.id;
  const tries = [
    ["route", `/api/pools/${first}:route`, 200],
    ["enqueue", `/api/queues/${first}/items`, 201],
  ] as const;
  for (const [key, path] of tries)
    t.is((await call("POST", path, {}, { "idempotency-key": key })).status, 412, key);
  await call("DELETE", `/api/rules/${rule}`);
  await call("POST", `/api/pools/${second}/recipients`, { name: "r" });
  for (const [key, path, status] of tries) {
    const done = await call("POST", path, {}, { "idempotency-key": key });
    t.is(done.status, status, key);
    t.is(done.headers.get("idempotent-replayed"), null, key);
    const again = await call("POST", path, {}, { "idempotency-key": key });
    t.deepEqual(again.data, done.data, key);
    t.is(again.headers.get("idempotent-replayed"), "true", key);
  }
});

test("recipients and rules are created, changed, listed and deleted over REST", async (t) => {
  const call = api(t.context);
  const pool = (await call("POST", "/api/pools", { name: "parts" })).data.id;
  const recipient = await call("POST", `/api/pools/${pool}/recipients`, {
    name: "a",
    labels: { "app.io/x": "1" },
  });
  t.is(recipient.status, 201);
  const at = `/api/recipients/${recipient.data.id}`;
  const patched = await call("PATCH", at, { labels: { "app.io/x": null, y: "2" }, weight: 7 });
  t.like(patched.data, { weight: 7, record_version: 2 });
  t.deepEqual(patched.data.labels, { y: "2" });
  t.is((await call("POST", `${at}/pause`, {})).data.status, "STATUS_PAUSED");
  t.is((await call("POST", `${at}/resume`, {})).data.status, "STATUS_ACTIVE");
  t.is((await call("POST", `${at}/heartbeat`, { ttl_seconds: 60 })).data.status, "STATUS_ACTIVE");
  const rule = await call("POST", `/api/pools/${pool}/rules`, {
    name: "r",
    condition: "item.attributes.tier == 'gold'",
    action: { set_priority: { priority: 1 } },
  });
  t.is(rule.status, 201);
  const where = `/api/rules/${rule.data.id}`;
  t.like((await call("PATCH", where, { action: { reject: { reason: "no" } } })).data, {
    action: { reject: { reason: "no" } },
  });
  const bad = await call("PATCH", where, { condition: "item.x ==" });
  t.is(bad.status, 400);
  t.like((bad.body.errors as Message[])[0], { field: "condition" });
  t.is((await call("POST", `/api/pools/${pool}/rules`, { name: "none" })).status, 400);
  t.like((await call("POST", "/api/rules/validate", { condition: "other" })).data, {
    valid: false,
    errors: [{ line: 1, column: 1 }],
  });
  t.is((await call("GET", "/api/rules/validate")).status, 405);
  t.is(((await call("GET", `/api/pools/${pool}/recipients?limit=1`)).body.data as unknown[]).length, 1);
  t.like((await call("GET", `/api/pools/${pool}`)).data, {
    recipient_ids: [recipient.data.id],
    rule_ids: [rule.data.id],
  });
  t.like((await call("DELETE", where)).data, { deleted: true });
  t.like((await call("DELETE", at)).data, { deleted: true });
});

test("a routing is explained, stored and verified, and its outcome releases the reservation", async (t) => {
  const call = api(t.context);
  const pool = (await call("POST", "/api/pools", { name: "route", strategy: "least_loaded" })).data.id;
  const recipient = (await call("POST", `/api/pools/${pool}/recipients`, { name: "a", capacity: 1 })).data.id;
  const routed = await call("POST", `/api/pools/${pool}:route`, { key: "k", reserve: true, explain: true });
  t.is(routed.status, 200);
  t.like(routed.data, {
    recipient_id: recipient,
    explanation: [{ recipient_id: recipient, reason: "chosen" }],
  });
  const full = await call("POST", `/api/pools/${pool}:route`, { reserve: true });
  t.is(full.status, 503);
  t.like(full.body, { errorCode: "ROUTING_FAILED", retryable: true });
  const kept = await call("GET", `/api/routings/${routed.data.id}?verify=true`);
  t.like(kept.data, { id: routed.data.id, verification: { matches: true, complete: true } });
  const outcome = { id: "o1", routing_id: routed.data.id, result: "success", latency_ms: 12 };
  t.like((await call("POST", "/api/outcomes", outcome)).data, {
    id: "o1",
    recipient_id: recipient,
    latency_ms: 12,
  });
  t.is(
    (await call("POST", "/api/outcomes", { result: "success" })).body.detail,
    "must have exactly one of routing_id, queue_item_id",
  );
  const batch = await call("POST", "/api/outcomes:batch", { outcomes: [outcome, { ...outcome, id: "o2" }] });
  t.is((batch.data.results as unknown[]).length, 2);
  const routes = await call("POST", `/api/pools/${pool}:route-batch`, {
    routes: [{ reserve: true }, { reserve: true }],
  });
  const results = routes.data.results as Message[];
  t.like(results[0], { index: 0, routing: { recipient_id: recipient } });
  t.like(results[1], { index: 1, error: { error_code: "ROUTING_FAILED", retryable: true } });
});

test("an outcome of an item counts for the recipient that holds it", async (t) => {
  const call = api(t.context);
  const pool = (await call("POST", "/api/pools", { name: "items" })).data.id;
  const recipient_id = (await call("POST", `/api/pools/${pool}/recipients`, { name: "a", capacity: 3 })).data
    .id;
  const enqueued = await call("POST", `/api/queues/${pool}/items`, { payload: { n: 1 } });
  t.is(enqueued.status, 201);
  const { id: queue_item_id } = enqueued.data.item as Message;
  const claimed = await call("POST", `/api/queues/${pool}/items:claim`, { recipient_id, max_items: 1 });
  t.is((claimed.data.items as unknown[]).length, 1);
  t.is((await call("GET", `/api/recipients/${recipient_id}`)).data.in_flight, 1);
  const outcome = await call("POST", "/api/outcomes", { queue_item_id, result: "failure" });
  t.like(outcome.data, { queue_item_id, recipient_id, pool_id: pool });
  t.like((await call("GET", `/api/recipients/${recipient_id}`)).data, {
    health: { consecutive_failures: 1 },
  });
  t.like((await call("DELETE", `/api/pools/${pool}`)).body, {
    errorCode: "FAILED_PRECONDITION",
    reason: "POOL_NOT_EMPTY",
  });
  t.like((await call("DELETE", `/api/pools/${pool}?force=true`)).data, { deleted: true });
});

test("RouteStream answers every request over gRPC; a request that breaks the contract gets its own error", async (t) => {
  const call = api(t.context);
  const pool = (await call("POST", "/api/pools", { name: "stream" })).data.id as string;
  await call("POST", `/api/pools/${pool}/recipients`, { name: "a" });
  const { client, stream } = openStream(t.context, "RoutingService", "RouteStream");
  const wrong = new Map<string, Message>();
  const refs = await new Promise<Set<string>>((resolve, reject) => {
    const seen = new Set<string>();
    stream.on("data", (answer: Message) => {
      if (answer.routing !== undefined) seen.add(answer.ref as string);
      else wrong.set(answer.ref as string, answer.error as Message);
    });
    stream.on("error", reject);
    stream.on("end", () => resolve(seen));
    for (let i = 0; i < 200; i++) {
      stream.write({ ref: `r${i}`, route: { pool_id: pool } });
      if (i === 7) stream.write({ ref: "no route" });
      if (i === 99) stream.write({ ref: "x".repeat(200), route: { pool_id: "x", cost: 0 } });
    }
    stream.end();
  });
  client.close();
  t.is(refs.size, 200);
  t.deepEqual([...wrong.keys()], ["no route", "x".repeat(200)]);
  t.like(wrong.get("no route"), { error_code: "INVALID_ARGUMENT", retryable: false });
  t.deepEqual(
    (wrong.get("x".repeat(200))!.errors as Message[]).map(({ field }) => field),
    ["ref", "route.pool_id", "route.cost"],
  );
});

test("what a rule refers to must exist when it is stored, and validate reports it before; deleting it later does no harm", async (t) => {
  const call = api(t.context);
  const made = async (environment?: string) =>
    (await call("POST", "/api/pools", { name: "named" }, environment ? { "x-environment": environment } : {}))
      .data.id as string;
  const [pool, other, staging] = [await made(), await made(), await made("staging")];
  const here = `/api/pools/${pool}`;
  const recipient = (await call("POST", `${here}/recipients`, { name: "r" })).data.id as string;
  const elsewhere = (await call("POST", `/api/pools/${other}/recipients`, { name: "r" })).data.id as string;
  const nobody = "01JVVVVVVVVVVVVVVVVVVVVVVV";
  const wrong = [
    [
      { restrict: { recipient_ids: [recipient, elsewhere] } },
      "action.restrict.recipient_ids[1]",
      "is no recipient of this pool",
    ],
    [
      { prefer: { recipient_ids: [nobody] } },
      "action.prefer.recipient_ids[0]",
      "is no recipient of this pool",
    ],
    [{ redirect: { pool_id: nobody } }, "action.redirect.pool_id", "is no pool"],
    [{ redirect: { pool_id: pool } }, "action.redirect.pool_id", "is the pool itself"],
    [
      { redirect: { pool_id: staging } },
      "action.redirect.pool_id",
      "is in staging, and this pool in production",
    ],
    [{ restrict: {} }, "action.restrict", "selects nothing"],
  ] as const;
  const kept = await call("POST", `${here}/rules`, {
    name: "kept",
    action: { redirect: { pool_id: other } },
  });
  t.is(kept.status, 201);
  for (const [action, field, reason] of wrong) {
    const created = await call("POST", `${here}/rules`, { name: "wrong", action });
    t.like(created.body, { status: 400, errorCode: "INVALID_ARGUMENT", errors: [{ field, reason }] });
    const patched = await call("PATCH", `/api/rules/${kept.data.id}`, { action });
    t.like(patched.body, { status: 400, errors: [{ field, reason }] });
    const asked = { condition: "true", pool_id: pool, action };
    t.deepEqual((await call("POST", "/api/rules/validate", asked)).data, {
      valid: false,
      errors: [{ line: 0, column: 0, reason, field }],
    });
  }
  const both = { condition: "item.", pool_id: pool, action: wrong[2][0] };
  const { errors } = (await call("POST", "/api/rules/validate", both)).data as { errors: Message[] };
  t.deepEqual(
    errors.map(({ field }) => field),
    ["condition", "action.redirect.pool_id"],
  );
  const fine = { condition: "true", pool_id: pool, action: { prefer: { recipient_ids: [recipient] } } };
  t.deepEqual((await call("POST", "/api/rules/validate", fine)).data, { valid: true, errors: [] });
  t.is((await call("POST", "/api/rules/validate", { ...fine, pool_id: nobody })).status, 404);

  const key = { "idempotency-key": `rule-${pool}` };
  const away = { name: "away", action: { redirect: { pool_id: other } } };
  const first = await call("POST", `${here}/rules`, away, key);
  t.is((await call("DELETE", `/api/pools/${other}`)).status, 200);
  const again = await call("POST", `${here}/rules`, away, key);
  t.is(again.status, 201);
  t.deepEqual(again.data, first.data, "a repeat is answered as before");
  t.is((await call("PATCH", `/api/rules/${kept.data.id}`, { enabled: false })).status, 200);
  t.is((await call("POST", `${here}:route`, {})).body.reason, "REDIRECT_TARGET_MISSING");
});

test("the error for a missing resource names its kind, even if its pool is missing too", async (t) => {
  const call = api(t.context);
  const nobody = "01HF7YATQW036XKC8503243FKZ";
  const outcome = { routing_id: nobody, result: "success" };
  for (const [verb, path, body, what] of [
    ["GET", `/api/pools/${nobody}`, undefined, "pool"],
    ["POST", `/api/pools/${nobody}:route`, {}, "pool"],
    ["GET", `/api/recipients/${nobody}`, undefined, "recipient"],
    ["POST", `/api/recipients/${nobody}/pause`, {}, "recipient"],
    ["POST", `/api/recipients/${nobody}/heartbeat`, {}, "recipient"],
    ["GET", `/api/rules/${nobody}`, undefined, "rule"],
    ["PATCH", `/api/rules/${nobody}`, { name: "x" }, "rule"],
    ["GET", `/api/routings/${nobody}`, undefined, "routing"],
    ["POST", "/api/outcomes", outcome, "routing"],
  ] as const) {
    const { status, body: problem } = await call(verb, path, body);
    t.is(status, 404, path);
    t.regex(problem.detail as string, new RegExp(`^there is no such ${what}`), path);
  }
});
