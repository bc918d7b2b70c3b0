import test from "ava";
import { isRefusal, limits } from "#base";
import { QueueBench } from "../../../../test/support/queue.ts";
import { hardlyAny, within } from "../../../../test/support/queue-model/memory.ts";

test("an expired lease is noticed without anybody polling, counts an attempt, and its token is worth nothing", (t) => {
  const bench = new QueueBench({ lease_seconds: 10 });
  bench.enqueue();
  const [leased] = bench.claim();
  bench.driver.advance(9_999);
  t.is(bench.get(leased!.item.id).state, "leased");
  bench.driver.advance(1);
  t.like(bench.get(leased!.item.id), { state: "ready", attempts: 1, deliveries: 1 });
  t.like(bench.settle("complete", leased!), { code: "LEASE_LOST", reason: "expired" });
});

test("leases that expire are failures of their recipient", (t) => {
  const bench = new QueueBench({ lease_seconds: 10, outlier: { consecutive_failures: 2 } }, [{}, {}]);
  for (let i = 0; i < 2; i++) bench.enqueue();
  bench.claim(2);
  bench.driver.advance(10_000);
  const [recipient_id] = bench.recipientIds;
  t.is(bench.pool("RecipientService.GetRecipient", { recipient_id }).status, "STATUS_EJECTED");
});

test("an old token is refused once the item is leased to another worker", (t) => {
  const bench = new QueueBench({ lease_seconds: 10 });
  bench.enqueue();
  const [first] = bench.claim();
  bench.driver.advance(10_000);
  const [second] = bench.claim();
  t.like(bench.settle("complete", first!), { code: "LEASE_LOST", reason: "reassigned" });
  t.like(bench.settle("complete", second!), { state: "completed" });
});

test("the same token and outcome again gets the stored answer; another outcome is a conflict", (t) => {
  const bench = new QueueBench();
  bench.enqueue();
  const [leased] = bench.claim();
  const answer = bench.settle("fail", leased!, { error: "no" });
  t.like(answer, { state: "retry_wait", attempts: 1 });
  bench.driver.restart();
  t.deepEqual(bench.settle("fail", leased!, { error: "no" }), answer);
  t.like(bench.settle("complete", leased!), { code: "STATE_CONFLICT" });
});

test("a cancel answers with the whole item, also a repeated one, one at work and one with a large payload", (t) => {
  for (const payload of [{ n: 1 }, { text: "x".repeat(2_000) }])
    for (const leased of [false, true])
      for (const restarted of [false, true]) {
        const bench = new QueueBench();
        const { item } = bench.enqueue({ payload, attributes: { a: 1 } });
        if (leased) bench.claim();
        if (restarted) bench.driver.restart();
        for (let i = 0; i < 2; i++)
          t.like(bench.ask("QueueService.Cancel", { queue_item_id: item.id }), {
            state: "cancelled",
            payload,
            attributes: { a: 1 },
          });
      }
});

test("a duplicate of an item that a later entry of its batch replaces is answered with what became of it", (t) => {
  const bench = new QueueBench({ admission: { singleton: { key: "item.key", mode: "cancel" } } });
  bench.enqueue({ key: "k", dedup_id: "d" });
  const items = [{ key: "k", dedup_id: "d" }, { key: "k" }];
  const { results } = bench.ask("QueueService.EnqueueBatch", { items }) as { results: object[] };
  t.like(results[0], { item: { state: "superseded" }, admission: { outcome: "duplicate" } });
});

test("a duplicate is shown also where its own batch has pushed it out of memory", (t) => {
  within(hardlyAny, () => {
    const bench = new QueueBench();
    bench.enqueue({ dedup_id: "d" });
    bench.driver.restart();
    for (const priority of [4, 5]) bench.enqueue({ priority });
    const items = [{ priority: 5 }, { priority: 4 }, { dedup_id: "d" }, { priority: 5 }];
    const { results } = bench.ask("QueueService.EnqueueBatch", { items }) as { results: object[] };
    t.like(results[2], { item: { dedup_id: "d", state: "ready" }, admission: { outcome: "duplicate" } });
  });
});

test("a batch is answered without payloads, those of the items it met included; one item is answered with its own", (t) => {
  const bench = new QueueBench();
  const payload = "x".repeat(200_000);
  const { item } = bench.enqueue({ payload, attributes: { a: 1 }, dedup_id: "d" });
  const items = [{ payload }, ...Array.from({ length: 999 }, () => ({ dedup_id: "d" }))];
  for (const restarted of [false, true]) {
    if (restarted) bench.driver.restart();
    const answer = bench.ask("QueueService.EnqueueBatch", { items });
    t.true(JSON.stringify(answer).length < 1_000_000);
    const { results } = answer as { results: { item: object; admission: { outcome: string } }[] };
    t.is(results.at(-1)!.admission.outcome, "duplicate");
    t.like(bench.enqueue({ dedup_id: "d" }), { item: { id: item.id, payload, attributes: { a: 1 } } });
  }
});

test("a cancelled item's lease is void at once", (t) => {
  const bench = new QueueBench();
  const { item } = bench.enqueue();
  const [leased] = bench.claim();
  t.like(bench.ask("QueueService.Cancel", { queue_item_id: item.id }), { state: "cancelled" });
  t.like(bench.settle("complete", leased!), { code: "LEASE_LOST", reason: "cancelled" });
  t.like(bench.ask("QueueService.Cancel", { queue_item_id: item.id }), { state: "cancelled" });
});

test("an extended lease lasts from now", (t) => {
  const bench = new QueueBench({ lease_seconds: 10 });
  bench.enqueue();
  const [leased] = bench.claim();
  bench.driver.advance(9_000);
  const extended = bench.settle("extend", leased!, { lease_seconds: 30 });
  t.like(extended, { state: "leased", deliveries: 1, attempts: 0 });
  bench.driver.advance(29_000);
  t.like(bench.settle("complete", leased!), { state: "completed" });
});

test("a lease has longer left than an extend asks for: it keeps its time, and nothing changes", (t) => {
  const bench = new QueueBench({ lease_seconds: 60 });
  bench.enqueue();
  const [leased] = bench.claim();
  const before = bench.get(leased!.item.id);
  for (const lease_seconds of [1, 60])
    t.like(bench.settle("extend", leased!, { lease_seconds }), {
      state: "leased",
      lease_expires_at: leased!.lease_expires_at,
    });
  t.deepEqual(bench.get(leased!.item.id), before);
  bench.driver.advance(59_999);
  t.like(bench.settle("complete", leased!), { state: "completed" });
});

test("release costs a delivery, not an attempt; too many deliveries make a dead letter", (t) => {
  const bench = new QueueBench({ max_deliveries: 3 });
  bench.enqueue();
  for (let delivery = 1; delivery <= 2; delivery++) {
    const [leased] = bench.claim();
    t.like(bench.settle("release", leased!), { state: "ready", attempts: 0, deliveries: delivery });
  }
  const [leased] = bench.claim();
  t.like(bench.settle("release", leased!), { state: "dead", deliveries: 3 });
  t.like(bench.get(leased!.item.id).last_error, { message: "handed out 3 times", type: "max_deliveries" });
});

test("failures back off with equal jitter and end in the dead letters", (t) => {
  const backoff = { initial_ms: 1_000, max_ms: 3_000, multiplier: 2 };
  const bench = new QueueBench({ max_attempts: 4, backoff });
  const shares: number[] = [];
  for (let i = 0; i < 20; i++) {
    bench.enqueue();
    for (const full of [1_000, 2_000, 3_000]) {
      const [leased] = bench.claim();
      const answer = bench.settle("fail", leased!, { error: "e", error_type: "x" });
      const delay = Date.parse(answer.not_before as string) - bench.driver.now;
      t.true(delay >= full / 2 && delay <= full, `${delay} of ${full}`);
      shares.push(delay / full);
      t.is(bench.claim().length, 0);
      bench.driver.advance(delay);
    }
    const [leased] = bench.claim();
    t.like(bench.settle("fail", leased!, { error: "e", error_type: "x" }), { state: "dead", attempts: 4 });
    t.like(bench.get(leased!.item.id).last_error, { message: "e", type: "x" });
  }
  t.true(Math.min(...shares) < 0.6 && Math.max(...shares) > 0.9, "half of the delay is drawn");
});

test("the shortest back-off is a wait, and a delay of nothing is none", (t) => {
  const bench = new QueueBench({ backoff: { initial_ms: 1, max_ms: 1, multiplier: 1 } });
  bench.enqueue();
  for (let i = 0; i < 3; i++) {
    t.like(bench.settle("fail", bench.claim()[0]!), { state: "retry_wait" });
    bench.driver.advance(1);
  }
  t.like(bench.settle("fail", bench.claim()[0]!, { delay_ms: 0 }), { state: "ready" });
});

test("a failure that is not to be retried, and a rejection, are dead letters at once", (t) => {
  const bench = new QueueBench();
  bench.enqueue();
  bench.enqueue();
  const [first, second] = bench.claim(2);
  t.like(bench.settle("fail", first!, { retryable: false }), { state: "dead" });
  t.like(bench.settle("reject", second!, { error: "poison" }), { state: "dead", attempts: 0 });
});

test("an item that would expire before it may be handed out is refused", (t) => {
  const bench = new QueueBench();
  const inSeconds = (seconds: number) => new Date(bench.driver.now + seconds * 1_000).toISOString();
  for (const expires of [5, 10])
    t.like(bench.tryEnqueue({ not_before: inSeconds(10), expires_at: inSeconds(expires) }), {
      code: "INVALID_ARGUMENT",
      fields: [{ field: "expires_at" }],
    });
  t.false(isRefusal(bench.tryEnqueue({ not_before: inSeconds(10), expires_at: inSeconds(11) })));
  t.false(isRefusal(bench.tryEnqueue({ not_before: inSeconds(-10), expires_at: inSeconds(1) })));
});

test("a batch of settlements answers each entry by itself", (t) => {
  const bench = new QueueBench();
  bench.enqueue();
  bench.enqueue();
  const [first, second] = bench.claim(2);
  const entry = (leased: typeof first, outcome: string) => ({
    queue_item_id: leased!.item.id,
    lease_token: leased!.lease_token,
    outcome,
  });
  const { results } = bench.ask("QueueService.SettleBatch", {
    settlements: [
      entry(first, "complete"),
      { ...entry(second, "fail"), lease_token: "forged" },
      entry(first, "complete"),
    ],
  }) as { results: Record<string, unknown>[] };
  t.like(results[0], { index: 0, state: "completed" });
  t.like(results[1], { index: 1, error: { error_code: "LEASE_LOST" } });
  t.like(results[2], { index: 2, state: "completed" });
});

test("an enqueue batch answers each entry by itself, and later entries see earlier ones", (t) => {
  const bench = new QueueBench();
  const { results } = bench.ask("QueueService.EnqueueBatch", {
    items: [{ dedup_id: "d" }, { dedup_id: "d" }, { priority: 1, payload: "x".repeat(300_000) }],
  }) as { results: Record<string, unknown>[] };
  t.like(results[0], { admission: { outcome: "enqueued" } });
  t.like(results[1], { admission: { outcome: "duplicate" } });
  t.like(results[2], { error: { error_code: "PAYLOAD_TOO_LARGE" } });
});

test("payload and attributes together may have 256 KiB in bytes, and so may a result", (t) => {
  const bench = new QueueBench();
  const most = limits.payloadBytesMax;
  // Quotes, and the braces of no attributes.
  const texts = (around: number) =>
    ["x", "é", "漢"].map((one) => one.repeat((most - around) / Buffer.byteLength(one)));
  for (const payload of texts(4)) {
    t.false(isRefusal(bench.tryEnqueue({ payload })));
    t.like(bench.tryEnqueue({ payload: `${payload}xxx` }), { code: "PAYLOAD_TOO_LARGE" });
    t.like(bench.tryEnqueue({ payload, attributes: { a: "b" } }), { code: "PAYLOAD_TOO_LARGE" });
  }
  for (const result of texts(2)) {
    const [leased] = bench.claim();
    t.like(bench.settle("complete", leased!, { result: `${result}xxx` }), { code: "PAYLOAD_TOO_LARGE" });
    t.like(bench.settle("complete", leased!, { result }), { state: "completed" });
  }
});

test("a dedup id of 256 characters works whatever they are, until its item is forgotten", (t) => {
  for (const one of ["x", "\0", "漢", "😀"]) {
    const bench = new QueueBench({ retention_seconds: 60 });
    const request = { dedup_id: one.repeat(256) };
    t.is(bench.enqueue(request).admission.outcome, "enqueued", one);
    bench.driver.restart();
    t.is(bench.enqueue(request).admission.outcome, "duplicate", one);
    bench.settle("complete", bench.claim()[0]!);
    for (let i = 0; i < 5; i++) bench.driver.advance(30_000);
    t.is(bench.rows("dedup"), 0, one);
    t.is(bench.enqueue(request).admission.outcome, "enqueued", one);
  }
});

test("a full queue refuses with a hint, and takes items again when there is room", (t) => {
  const bench = new QueueBench({ max_depth: 1 });
  bench.enqueue();
  t.like(bench.tryEnqueue(), { code: "RATE_LIMITED", reason: "QUEUE_FULL" });
  bench.claim();
  t.false(isRefusal(bench.tryEnqueue()));
});

test("a batch is taken up to the depth and the bytes of its queue, each entry with those before it", (t) => {
  // Quotes, and the braces of no attributes.
  const items = Array.from({ length: 3 }, () => ({ payload: "x".repeat(96) }));
  for (const bound of [{ max_depth: 2 }, { max_bytes: 200 }]) {
    const bench = new QueueBench(bound);
    const { results } = bench.ask("QueueService.EnqueueBatch", { items }) as { results: object[] };
    for (const taken of results.slice(0, 2)) t.like(taken, { admission: { outcome: "enqueued" } });
    t.like(results[2], { error: { error_code: "RATE_LIMITED", reason: "QUEUE_FULL" } });
  }
});

test("what is larger than its whole queue may be is too large, not to be tried again", (t) => {
  const bench = new QueueBench({ max_bytes: 100 });
  t.like(bench.tryEnqueue({ payload: "x".repeat(97) }), {
    code: "PAYLOAD_TOO_LARGE",
    detail: "payload and attributes have 101 bytes; all items of this queue together may have 100",
  });
  t.false(isRefusal(bench.tryEnqueue({ payload: "x".repeat(96) })));
  t.like(bench.tryEnqueue({ payload: "" }), { reason: "QUEUE_FULL" });
});

test("claims need an enabled pool and an active recipient", (t) => {
  const bench = new QueueBench();
  const [recipient_id] = bench.recipientIds;
  bench.pool("RecipientService.PauseRecipient", { recipient_id });
  t.like(bench.ask("QueueService.Claim", { recipient_id }), {
    code: "FAILED_PRECONDITION",
    reason: "RECIPIENT_PAUSED",
  });
  bench.pool("RecipientService.ResumeRecipient", { recipient_id });
  bench.pool("PoolService.SetPoolEnabled", { enabled: false });
  t.like(bench.ask("QueueService.Claim", { recipient_id }), {
    code: "FAILED_PRECONDITION",
    reason: "POOL_DISABLED",
  });
});

test("a lease that one batch extends and completes has come two steps, also in a replay", (t) => {
  const bench = new QueueBench();
  bench.enqueue();
  const [leased] = bench.claim();
  const named = { queue_item_id: leased!.item.id, lease_token: leased!.lease_token };
  const settlements = ["extend", "complete"].map((outcome) => ({ ...named, outcome, lease_seconds: 60 }));
  bench.ask("QueueService.SettleBatch", { settlements });
  t.is(bench.get(leased!.item.id).record_version, (leased!.item.record_version as number) + 2);
});
