import { api, type Message, test } from "./support.ts";

/** Updates through the real listeners of `service dev`: merge patches, masks, versions. */
const words = (count: number, from = 0) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${from + index}`, 1]));

test("a patch whose objects are all empty changes nothing", async (t) => {
  const call = api(t.context);
  const config = { lease_seconds: 60, fairness: { key: "item.key", weights: { a: 2 } } };
  const pool = (await call("POST", "/api/pools", { name: "still", config })).data;
  const at = `/api/pools/${pool.id}`;
  for (const empty of [{ priority: {} }, { fairness: { weights: {} } }, { admission: { throttle: {} } }]) {
    t.is((await call("PATCH", at, { config: empty })).status, 200);
    t.deepEqual((await call("GET", at)).data.config, pool.config);
  }
  const metadata = { a: { b: 1 }, c: 2 };
  const recipient = (await call("POST", `${at}/recipients`, { name: "r", metadata })).data;
  const patched = await call("PATCH", `/api/recipients/${recipient.id}`, { metadata: { a: {} } });
  t.deepEqual(patched.data.metadata, metadata);
});

test("the result of several patches has the same bounds as a value set at once", async (t) => {
  const call = api(t.context);
  const pool = (await call("POST", "/api/pools", { name: "growing" })).data.id;
  const recipient = (await call("POST", `/api/pools/${pool}/recipients`, { name: "r" })).data.id;
  const at = `/api/recipients/${recipient}`;
  const text = (all: Message) => Object.fromEntries(Object.keys(all).map((key) => [key, "v"]));
  t.is((await call("PATCH", at, { labels: text(words(64)), skills: words(64) })).status, 200);
  t.is((await call("PATCH", at, { labels: text(words(1, 64)) })).status, 400);
  t.is((await call("PATCH", at, { skills: words(1, 64) })).status, 400);
  t.is((await call("PATCH", at, { labels: { k0: null, k64: "v" } })).status, 200);
  const weigh = (weights: Message) =>
    call("PATCH", `/api/pools/${pool}`, { config: { fairness: { key: "item.key", weights } } });
  t.is((await weigh(words(1_000))).status, 200);
  t.is((await weigh(words(1, 1_000))).status, 400);
});

test("a mask with an unknown field is refused and changes nothing", async (t) => {
  const call = api(t.context);
  const rpc = (method: string, message: Message) => call("POST", `/service.api.${method}`, message);
  const pool = (await call("POST", "/api/pools", { name: "masked", strategy: "round_robin" })).data.id;
  for (const update_mask of [
    "strategy.x",
    "config.nope",
    "config.lease_seconds.x",
    "config.admission.concurrency.limit",
    "record_version",
  ]) {
    const answer = await rpc("PoolService/UpdatePool", { pool_id: pool, update_mask });
    t.is(answer.status, 400, update_mask);
  }
  t.like((await call("GET", `/api/pools/${pool}`)).data, { strategy: "round_robin", record_version: 1 });
  const made = await call("POST", `/api/pools/${pool}/recipients`, {
    name: "r",
    labels: { appName: "1", "a,b": "2" },
  });
  const answer = await rpc("RecipientService/UpdateRecipient", {
    recipient_id: made.data.id,
    labels: { appName: "3", "a,b": "4" },
    update_mask: "labels.`appName`,labels.`a,b`",
  });
  t.deepEqual(answer.body.labels, { appName: "3", "a,b": "4" });
});

test("a key of any characters can be patched, a backquote among them", async (t) => {
  const call = api(t.context);
  const pool = (await call("POST", "/api/pools", { name: "quoted" })).data.id;
  const made = await call("POST", `/api/pools/${pool}/recipients`, {
    name: "r",
    labels: { "a`b": "1", c: "2" },
  });
  const at = `/api/recipients/${made.data.id}`;
  t.deepEqual((await call("PATCH", at, { labels: { "a`b": "3" } })).data.labels, { "a`b": "3", c: "2" });
  t.deepEqual((await call("PATCH", at, { labels: { "a`b": null, "`": "4" } })).data.labels, {
    c: "2",
    "`": "4",
  });
});

test("an ETag matches only while nothing has changed, live fields included", async (t) => {
  const call = api(t.context);
  const pool = (await call("POST", "/api/pools", { name: "tagged" })).data.id;
  const at = `/api/pools/${pool}`;
  const tag = (await call("GET", at)).headers.get("etag")!;
  const get = (etag: string) =>
    fetch(`http://127.0.0.1:${t.context.service.ports.http}${at}`, { headers: { "if-none-match": etag } });
  t.is((await get(tag)).status, 304);
  const made = await call("POST", `${at}/recipients`, { name: "r" });
  const again = await get(tag);
  t.is(again.status, 200);
  t.deepEqual(((await again.json()) as { data: Message }).data.recipient_ids, [made.data.id]);
  t.is((await call("PATCH", at, { name: "n" }, { "if-match": again.headers.get("etag")! })).status, 200);
  t.is((await call("PATCH", at, { name: "n" }, { "if-match": tag })).status, 412);
  t.is((await call("PATCH", at, { name: "n", record_version: 2 }, { "if-match": tag })).status, 400);
});

test("a merge patch of a rule's action merges labels and skills; another kind replaces it", async (t) => {
  const call = api(t.context);
  const pool = (await call("POST", "/api/pools", { name: "merged" })).data.id;
  const made = await call("POST", `/api/pools/${pool}/rules`, {
    name: "eu",
    action: { restrict: { labels: { region: "eu", tier: "1" }, skills: { german: 2 } } },
  });
  const at = `/api/rules/${made.data.id}`;
  const patched = await call("PATCH", at, { action: { restrict: { labels: { tier: null, size: "l" } } } });
  t.deepEqual(patched.data.action, {
    restrict: { recipient_ids: [], labels: { region: "eu", size: "l" }, skills: { german: 2 } },
  });
  const other = await call("PATCH", at, { action: { restrict: null, reject: { reason: "closed" } } });
  t.deepEqual(other.data.action, { reject: { reason: "closed" } });
  t.is((await call("PATCH", at, { action: { reject: null } })).status, 400);
});

test("given If-Match with several versions and an Idempotency-Key, a repeat gets the stored answer", async (t) => {
  const call = api(t.context);
  const at = `/api/pools/${(await call("POST", "/api/pools", { name: "one" })).data.id}`;
  await call("PATCH", at, { name: "two" });
  const headers = { "if-match": '"1", "2"', "idempotency-key": "several-versions" };
  const first = await call("PATCH", at, { name: "three" }, headers);
  t.is(first.data.name, "three");
  t.is(first.data.record_version, 3);
  const again = await call("PATCH", at, { name: "three" }, headers);
  t.is(again.headers.get("idempotent-replayed"), "true");
  t.is(again.data.record_version, 3);
  t.is((await call("PATCH", at, { name: "four" }, headers)).status, 422, "another body");
  t.is((await call("PATCH", at, { name: "four" }, { "if-match": '"1", "2"' })).status, 412);
});
