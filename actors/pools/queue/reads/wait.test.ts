import test from "ava";
import { limits } from "#base";
import { QueueBench } from "../../../../test/support/queue.ts";

interface Wait {
  readonly reason: string;
  readonly until?: string;
  readonly position?: number;
}

const key = "item.key";

function enqueued(queue: QueueBench, count: number): string[] {
  return Array.from({ length: count }, () => {
    queue.driver.now += 1;
    return queue.enqueue({ key: "k" }).item.id;
  });
}

function waitOf(queue: QueueBench, id: string): Wait {
  return queue.get(id).wait as Wait;
}

function waitsListed(queue: QueueBench): (Wait | undefined)[] {
  const { items } = queue.ask("QueueService.ListItems", { page_size: 1_000 });
  return (items as { wait?: Wait }[]).map(({ wait }) => wait);
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}

test("each of those that a throttle holds back says its own place and time, and goes exactly then", (t) => {
  const queue = new QueueBench({ admission: { throttle: { key, limit: 8, period_ms: 60_000, burst: 2 } } });
  const ids = enqueued(queue, 6);
  t.is(queue.claim(6, { lease_seconds: 3_600 }).length, 2);
  const start = queue.driver.now;
  const due = (place: number) => Math.ceil((place * 60_000) / 7);
  const waits = ids.slice(2).map((id) => waitOf(queue, id));
  t.deepEqual(
    waits,
    [1, 2, 3, 4].map((place) => ({
      reason: "throttle",
      until: time(start + due(place)),
      position: place,
    })),
  );
  t.deepEqual(waitsListed(queue).slice(2), waits);
  t.like(queue.ask("AdmissionService.ExplainAdmission", { queue_item_id: ids[5] }), {
    status: "held",
    constraint_kind: "throttle",
    not_before: time(start + due(4)),
    retry_after_ms: due(4),
    position: 4,
  });
  const seen: (readonly [unknown, string])[] = [];
  const poll = (): void =>
    queue.poll(1, (items) => {
      for (const { item } of items) seen.push([item.id, time(queue.driver.now)]);
      if (seen.length < 4) poll();
    });
  poll();
  for (let i = 0; i < 40; i++) queue.driver.advance(1_000);
  t.deepEqual(
    seen,
    waits.map(({ until }, index) => [ids[index + 2], until!]),
  );
});

test("in a disabled pool an item waits for that, paused or not: it is what a claim is refused with", (t) => {
  const queue = new QueueBench();
  const [id] = enqueued(queue, 1);
  queue.ask("QueueControlService.PauseQueue", { until: time(queue.driver.now + 60_000) });
  t.like(waitOf(queue, id!), { reason: "paused", until: time(queue.driver.now + 60_000) });
  queue.pool("PoolService.SetPoolEnabled", { enabled: false });
  const disabled = { reason: "pool_disabled", position: 1 };
  t.deepEqual(waitOf(queue, id!), disabled);
  t.like(queue.ask("QueueService.Claim", { recipient_id: queue.recipientIds[0] }), {
    reason: "POOL_DISABLED",
  });
  queue.ask("QueueControlService.ResumeQueue");
  t.deepEqual(waitOf(queue, id!), disabled);
  queue.pool("PoolService.SetPoolEnabled", { enabled: true });
  t.deepEqual(waitOf(queue, id!), { reason: "queued", position: 1 });
});

test("behind an item that could go and is not claimed, the times are still to come", (t) => {
  const queue = new QueueBench({ admission: { throttle: { key, limit: 1, period_ms: 1_000, burst: 1 } } });
  const ids = enqueued(queue, 4);
  queue.claim(4);
  queue.driver.advance(5_000);
  t.deepEqual(
    ids.slice(1).map((id) => waitOf(queue, id)),
    [
      { reason: "queued", position: 1 },
      { reason: "throttle", position: 1 },
      { reason: "throttle", until: time(queue.driver.now + 1_000), position: 2 },
    ],
  );
});

test("who is far behind says its place when asked for itself; in a list the earliest time alone", (t) => {
  const queue = new QueueBench({ admission: { throttle: { key, limit: 1, period_ms: 1_000, burst: 1 } } });
  const ids = enqueued(queue, 101);
  queue.claim();
  const start = queue.driver.now;
  queue.claim(100);
  const last = { reason: "throttle", until: time(start + 100_000), position: 100 };
  t.deepEqual(waitOf(queue, ids[100]!), last);
  const listed = waitsListed(queue);
  t.deepEqual(listed[10], { reason: "throttle", until: time(start + 10_000), position: 10 });
  const bound = time(start + (limits.queueHeldWindowMax + 1) * 1_000);
  t.deepEqual(listed[100], { reason: "throttle", until: bound });
  queue.driver.restart();
  t.deepEqual(waitOf(queue, ids[100]!), last);
});

test("who waits for a slot, a key or the end of a pause says its place too", (t) => {
  const queue = new QueueBench({ admission: { concurrency: [{ key, limit: 1 }] } });
  const ids = enqueued(queue, 4);
  queue.claim(4);
  const places = () => ids.slice(1).map((id) => waitOf(queue, id));
  t.deepEqual(
    places(),
    [1, 2, 3].map((position) => ({ reason: "concurrency", position })),
  );
  t.like(queue.ask("AdmissionService.PreviewAdmission", { key: "k" }).explanation, {
    status: "held",
    constraint_kind: "concurrency",
    position: 4,
  });
  t.like(queue.ask("AdmissionService.PreviewAdmission", { key: "other" }).explanation, {
    status: "admitted",
    position: 1,
  });
  queue.ask("QueueControlService.PauseQueue");
  t.deepEqual(
    places(),
    [1, 2, 3].map((position) => ({ reason: "paused", position })),
  );
  const latest = new QueueBench({ admission: { singleton: { key, mode: "keep_latest" } } });
  latest.enqueue({ key: "k" });
  latest.claim();
  t.deepEqual(waitOf(latest, latest.enqueue({ key: "k" }).item.id), { reason: "singleton", position: 1 });
});

test("an item that has its slots and waits for the throttle says throttle", (t) => {
  const queue = new QueueBench({
    admission: {
      concurrency: [{ key, limit: 1 }],
      throttle: { key, limit: 4, period_ms: 180_000, burst: 2 },
    },
  });
  const ids = enqueued(queue, limits.queueStepMax + 10);
  const reasons = () => new Set(waitsListed(queue).flatMap((wait) => wait?.reason ?? []));
  const [first] = queue.claim(100);
  t.deepEqual(reasons(), new Set(["concurrency"]));
  queue.settle("complete", first!);
  const [second, ...others] = queue.claim(100);
  t.is(others.length, 0);
  queue.settle("complete", second!);
  const behind = new Set(queue.stored("parked").map(({ key }) => `${key[0]}`.split(":")[0]));
  t.deepEqual(behind, new Set(["concurrency", "throttle"]), "a bounded number of a line is moved at a time");
  t.deepEqual(reasons(), new Set(["throttle"]));
  t.is(waitOf(queue, ids.at(-1)!).reason, "throttle");
});

test("an item whose debounce window is cleared waits for its own time, and says so", (t) => {
  const queue = new QueueBench({ admission: { debounce: { key, period_ms: 60_000 } } });
  const notBefore = time(queue.driver.now + 30_000);
  const { item } = queue.enqueue({ key: "k", not_before: notBefore });
  t.is(waitOf(queue, item.id).reason, "debounce");
  const { group_id } = queue.ask("AdmissionService.ExplainAdmission", { queue_item_id: item.id });
  queue.ask("AdmissionService.ClearAdmissionGroup", {
    constraint_kind: "debounce",
    group_id,
    reason: "a test",
  });
  t.deepEqual(waitOf(queue, item.id), { reason: "scheduled", until: notBefore });
  t.like(queue.ask("AdmissionService.ExplainAdmission", { queue_item_id: item.id }), {
    status: "held",
    reason: "scheduled",
    not_before: notBefore,
    constraint_kind: undefined,
  });
  queue.driver.advance(30_000);
  t.is(queue.claim().length, 1);
});

test("an item that costs more than any recipient could take says so, until one can", (t) => {
  const queue = new QueueBench({}, [{ capacity: 2 }, { capacity: 4 }]);
  const [small, large] = queue.recipientIds;
  const { item } = queue.enqueue({ cost: 5 });
  t.deepEqual(waitOf(queue, item.id), { reason: "exceeds_capacity", position: 1 });
  t.is(queue.claim(1, { recipient_id: large }).length, 0);
  queue.pool("RecipientService.UpdateRecipient", { recipient_id: large, capacity: 5 });
  t.deepEqual(waitOf(queue, item.id), { reason: "queued", position: 1 });
  queue.pool("RecipientService.PauseRecipient", { recipient_id: large });
  t.deepEqual(waitOf(queue, item.id), { reason: "no_capacity", position: 1 });
  queue.pool("RecipientService.UpdateRecipient", { recipient_id: small, capacity: 0 });
  t.deepEqual(waitOf(queue, item.id), { reason: "queued", position: 1 });
  t.is(queue.claim(1, { recipient_id: small }).length, 1);
});

test("a list looks through the recipients once for each eligibility class, however many items it shows", (t) => {
  const recipients = [
    { labels: { region: "eu" }, capacity: 2 },
    { labels: { region: "eu" }, capacity: 5 },
    {},
  ];
  const queue = new QueueBench({}, recipients);
  for (const region of ["eu", "us"])
    queue.pool("RuleService.CreateRule", {
      name: region,
      condition: `item.key == '${region}'`,
      action: { restrict: { labels: { region } } },
    });
  const expected: string[] = [];
  for (const [key, cost, reason] of [
    ["eu", 5, "queued"],
    ["eu", 6, "exceeds_capacity"],
    ["us", 1, "no_match"],
    ["any", 9, "queued"],
  ] as const)
    for (let i = 0; i < 25; i++) {
      queue.driver.now += 1;
      queue.enqueue({ key, cost });
      expected.push(reason);
    }
  const { recipients: table } = queue.driver.state<{ recipients: Map<string, unknown> }>(queue.at("router"));
  const values = table.values.bind(table);
  let looks = 0;
  table.values = () => {
    looks++;
    return values();
  };
  t.deepEqual(
    waitsListed(queue).map((wait) => wait?.reason),
    expected,
  );
  // A question runs twice where it has to read rows first, and once more for its answer.
  t.true(looks <= 9, `${looks} looks at all recipients for 100 items of three classes`);
});
