import anyTest, { type TestFn } from "ava";
import { eventually } from "../support/eventually.ts";
import { nobody } from "./cases/case.ts";
import { byTenantProviders } from "./support/auth.ts";
import { type Doors, doorsOf, type Outcome } from "./support/clients.ts";
import { probeContract, startTestService, type TestService } from "./support/service.ts";
import { caller, createTenant, errorOf, type Message } from "./support/tenant-calls.ts";

const test = anyTest as TestFn<{ service: TestService; doors: Doors }>;

test.before(async (t) => {
  const service = await startTestService({
    runtime: true,
    tenants: true,
    settings: { authEnabled: true },
    providers: byTenantProviders,
  });
  t.context = { service, doors: doorsOf(service) };
});

test.after.always(async (t) => {
  for (const door of Object.values(t.context.doors ?? {})) door.close?.();
  await t.context.service?.close();
});

test("given a limit, then exactly that many concurrent enqueues pass, and refused ones cost nothing", async (t) => {
  const { doors } = t.context;
  const tenant = await createTenant(doors, { quotas: { enqueue: 20 } });
  const own = caller(doors.grpc, `admin@${tenant}`);
  const pool = ((await own("PoolService.CreatePool", { name: "p" })) as { message: { id: string } }).message
    .id;
  const quota = async () =>
    (await own("TenantService.GetQuota", { tenant_id: tenant, operation: "enqueue" })) as object;
  const enqueue = (more: Message = {}, headers = {}) =>
    own("QueueService.Enqueue", { pool_id: pool, payload: 1, ...more }, headers);
  const first = await enqueue({}, { "idempotency-key": "first" });
  t.true(first.ok);
  t.like(await quota(), { message: { limit: 20, used: 1, remaining: 19, window: "day" } });
  t.like(errorOf(await enqueue({ pool_id: nobody })), { errorCode: "NOT_FOUND" });
  t.like(await quota(), { message: { used: 1 } }, "a refused call is not charged");
  const tries = await Promise.all(Array.from({ length: 60 }, () => enqueue()));
  t.is(tries.filter(({ ok }) => ok).length, 19);
  const refused = errorOf(tries.find(({ ok }) => !ok)!);
  t.like(refused, { errorCode: "QUOTA_EXCEEDED", retryable: false, reason: "DAILY" });
  const again = await enqueue({}, { "idempotency-key": "first" });
  t.like(again, { ok: true }, "a repeat is not charged, and gets its answer even if the quota is used up");
  t.deepEqual((again as { message: unknown }).message, (first as { message: unknown }).message);
  t.like(await quota(), { message: { used: 20, remaining: 0 } });
  const batch = await own("QueueService.EnqueueBatch", { pool_id: pool, items: [{ payload: 1 }] });
  t.like(errorOf(batch), { errorCode: "QUOTA_EXCEEDED" });
});

test("given a batch, then it costs its number of entries, all or nothing", async (t) => {
  const { doors } = t.context;
  const tenant = await createTenant(doors, { quotas: { enqueue: 5 } });
  const own = caller(doors["rest-uws"], `admin@${tenant}`);
  const pool = ((await own("PoolService.CreatePool", { name: "p" })) as { message: { id: string } }).message
    .id;
  const batch = (length: number) =>
    own("QueueService.EnqueueBatch", {
      pool_id: pool,
      items: Array.from({ length }, () => ({ payload: 1 })),
    });
  t.true((await batch(3)).ok);
  const refused = errorOf(await batch(3));
  t.like(refused, { errorCode: "QUOTA_EXCEEDED" });
  t.is(refused.retryAfterMs ?? refused.retry_after_ms, undefined);
  t.true((await batch(2)).ok);
  t.like(await own("TenantService.GetQuota", { tenant_id: tenant, operation: "enqueue" }), {
    message: { used: 5 },
  });
});

test("given an object, then it costs its bytes, and one that does not fit costs nothing", async (t) => {
  const { doors } = t.context;
  const tenant = await createTenant(doors, { quotas: { object_bytes: 1_000 } });
  const own = caller(doors["rest-uws"], `admin@${tenant}`);
  const run_id = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
  const stream = await own("WorkflowStreamService.CreateStream", {
    run_id,
    name: "s",
    content_classes: ["binary"],
  });
  const stream_id = (stream as { message: { id: string } }).message.id;
  const prepare = (size: number) =>
    own("WorkflowStreamService.PrepareObject", {
      run_id,
      stream_id,
      idempotency_key: `of-${size}`,
      digest: "0".repeat(64),
      size,
    });
  t.true((await prepare(700)).ok);
  t.like(errorOf(await prepare(301)), { errorCode: "QUOTA_EXCEEDED", reason: "DAILY" });
  t.true((await prepare(300)).ok);
  t.like(await own("TenantService.GetQuota", { tenant_id: tenant, operation: "object_bytes" }), {
    message: { used: 1_000, remaining: 0 },
  });
});

test("given no limit, then the used amount is shown a moment later", async (t) => {
  const { doors } = t.context;
  const tenant = await createTenant(doors);
  const own = caller(doors.grpc, `admin@${tenant}`);
  const pool = ((await own("PoolService.CreatePool", { name: "p" })) as { message: { id: string } }).message
    .id;
  const enqueue = (headers = {}) => own("QueueService.Enqueue", { pool_id: pool, payload: 1 }, headers);
  await enqueue({ "idempotency-key": "a" });
  await enqueue({ "idempotency-key": "a" });
  await enqueue();
  const quota = async () =>
    (
      (await own("TenantService.GetQuota", { tenant_id: tenant, operation: "enqueue" })) as {
        message: Message;
      }
    ).message;
  await eventually("both are counted", async () => (await quota()).used === 2 || undefined);
  t.is((await quota()).limit, undefined);
  t.is((await quota()).remaining, undefined);
});

test("given a stream, then each message is charged, and those over the limit get the quota error", async (t) => {
  const { doors } = t.context;
  const tenant = await createTenant(doors, { quotas: { route: 2 } });
  const own = caller(doors.grpc, `admin@${tenant}`);
  const made = await own("PoolService.CreatePool", { name: "p" });
  const { id: pool_id } = (made as { message: { id: string } }).message;
  t.true((await own("RecipientService.CreateRecipient", { pool_id, name: "r" })).ok);
  const routes = [1, 2, 3, 4].map((ref) => ({ ref: String(ref), route: { pool_id, key: "k" } }));
  const method = probeContract.byName.get("RoutingService.RouteStream")!;
  const headers = { authorization: `Bearer admin@${tenant}` };
  const outcome = await doors.grpc.stream!(method, routes, { headers });
  t.true(outcome.ok, JSON.stringify(errorOf(outcome)));
  const answers = (outcome as { message: unknown }).message as { error?: { error_code: string } }[];
  t.is(answers.filter(({ error }) => error === undefined).length, 2, JSON.stringify(answers));
  t.deepEqual(
    answers.flatMap(({ error }) => (error === undefined ? [] : [error.error_code])),
    ["QUOTA_EXCEEDED", "QUOTA_EXCEEDED"],
  );
});

test("given a limit of triggers, then a trigger to a topic costs one whatever its members, and over the limit nothing is delivered", async (t) => {
  const { doors } = t.context;
  const tenant = await createTenant(doors, { quotas: { notification_trigger: 3 } });
  const own = caller(doors.grpc, `admin@${tenant}`);
  const used = async () =>
    messageOf(await own("TenantService.GetQuota", { tenant_id: tenant, operation: "notification_trigger" }))
      .used;
  const members = await Promise.all(
    ["a", "b", "c", "d"].map(
      async (external_id) =>
        messageOf(await own("SubscriberService.UpsertSubscriber", { external_id })).id as string,
    ),
  );
  const key = "news";
  t.true((await own("TopicService.CreateTopic", { key })).ok);
  t.true((await own("TopicService.AddMembers", { key, subscriber_ids: members })).ok);
  const integration = { channel: "in_app", name: "inbox", provider_key: "inbox" };
  t.true((await own("IntegrationService.CreateIntegration", integration)).ok);
  const trigger = (to: Message, headers = {}) =>
    own(
      "NotificationService.Trigger",
      { workflow_key: "welcome", channels: ["in_app"], payload: { body: "Welcome." }, ...to },
      headers,
    );
  const delivered = () =>
    Promise.all(
      members.map(async (subscriber_id) => {
        const inbox = messageOf(await own("InboxService.ListInbox", { subscriber_id }));
        const deliveries = messageOf(await own("NotificationService.ListDeliveries", { subscriber_id }));
        return [inbox.total, deliveries.total];
      }),
    );
  const first = { subscriber_id: members[0] };
  t.true((await trigger(first, { "idempotency-key": "first" })).ok);
  t.is(await used(), 1);
  const { transaction_id } = messageOf(await trigger({ topic: key }));
  await eventually("the broadcast has reached every member", async () => {
    const { state } = messageOf(await own("NotificationService.GetBroadcast", { transaction_id }));
    return state === "completed" || undefined;
  });
  t.is(await used(), 2, "four members, one trigger");
  t.like(errorOf(await trigger({ subscriber_id: nobody })), { errorCode: "NOT_FOUND" });
  t.is(await used(), 2, "a refused trigger is not charged");
  t.true((await trigger({ subscriber_external_id: "b" })).ok);
  const before = await delivered();
  t.deepEqual(before, [
    [2, 2],
    [2, 2],
    [1, 1],
    [1, 1],
  ]);
  for (const to of [first, { subscriber_external_id: "new" }, { topic: key }])
    t.like(
      errorOf(await trigger(to)),
      { errorCode: "QUOTA_EXCEEDED", retryable: false, reason: "DAILY" },
      JSON.stringify(to),
    );
  t.true((await trigger(first, { "idempotency-key": "first" })).ok, "a repeat gets its answer");
  t.is(await used(), 3);
  t.deepEqual(await delivered(), before);
});

function messageOf(outcome: Outcome): Message {
  return outcome.ok ? (outcome.message as Message) : { refused: outcome.error };
}
