import anyTest, { type TestFn } from "ava";
import { devTenantId, systemClock, systemTenantId } from "#base";
import { localRateLimiter } from "../../gateway/calls/stages/token-bucket.ts";
import { eventually } from "../support/eventually.ts";
import { nobody } from "./cases/case.ts";
import { byTenantProviders } from "./support/auth.ts";
import { type Door, type Doors, doorsOf } from "./support/clients.ts";
import { probeContract, startTestService, type TestService } from "./support/service.ts";
import { caller, createTenant, errorOf, type Message } from "./support/tenant-calls.ts";

const test = anyTest as TestFn<{ service: TestService; doors: Doors }>;

test.before(async (t) => {
  const service = await startTestService({
    runtime: true,
    tenants: true,
    settings: { authEnabled: true },
    // Only tenants whose record has a limit are limited.
    providers: { ...byTenantProviders, rateLimiter: localRateLimiter(systemClock) },
  });
  t.context = { service, doors: doorsOf(service) };
});

test.after.always(async (t) => {
  for (const door of Object.values(t.context.doors ?? {})) door.close?.();
  await t.context.service?.close();
});

test("a suspended tenant is refused on every door and plane within a second, and accepted again after it is resumed", async (t) => {
  const { doors } = t.context;
  const tenant = await createTenant(doors);
  const operator = caller(doors.grpc, "platform");
  const every = Object.values(doors).filter((door) =>
    door.serves(probeContract.byName.get("PoolService.ListPools")!),
  );
  const list = (door: Door) => caller(door, `viewer@${tenant}`)("PoolService.ListPools");
  for (const door of every) t.true((await list(door)).ok, door.name);
  const set = (status: string) =>
    operator("TenantService.UpdateTenant", { tenant_id: tenant, status, update_mask: ["status"] });
  t.true((await set("suspended")).ok);
  await eventually("the suspension is known", async () => ((await list(doors.grpc)).ok ? undefined : true));
  for (const door of every)
    t.like(
      errorOf(await list(door)),
      { errorCode: "PERMISSION_DENIED", reason: "TENANT_SUSPENDED" },
      door.name,
    );
  const chosen = await operator("PoolService.ListPools", {}, { "x-tenant-id": tenant });
  t.like(errorOf(chosen), { errorCode: "PERMISSION_DENIED", reason: "TENANT_SUSPENDED" }, "platform");
  t.true((await set("active")).ok);
  await eventually("the tenant is let in", async () => (await list(doors.grpc)).ok || undefined);
});

test("whoami tells the name of the tenant and the environments in which the caller may act", async (t) => {
  const { doors } = t.context;
  const environments = ["production", "testing", "preview"];
  const tenant = await createTenant(doors, { name: "Acme", environments });
  const unnamed = { tenant_name: undefined, environments: [] };
  for (const door of [doors.grpc, doors["rest-uws"], doors["rest-node"], doors["connect-json"]]) {
    const asks = (who: string, headers = {}) => caller(door, who)("MetaService.WhoAmI", {}, headers);
    t.like(await asks(`viewer@${tenant}`), { message: { tenant_name: "Acme", environments } }, door.name);
    const limited = await asks(`viewer@${tenant}@non_production_only`);
    t.like(limited, { message: { environments: ["testing", "preview"] } }, door.name);
    t.like(await asks("platform"), { message: unnamed }, door.name);
    const chosen = await asks("platform", { "x-tenant-id": tenant });
    t.like(chosen, { message: { tenant_id: undefined, tenant_name: "Acme", environments } }, door.name);
  }
});

test("a deleted tenant and an unknown one get the same answer", async (t) => {
  const { doors } = t.context;
  const tenant = await createTenant(doors);
  const operator = caller(doors.grpc, "platform");
  t.true((await caller(doors.grpc, `viewer@${tenant}`)("PoolService.ListPools")).ok);
  t.true((await operator("TenantService.DeleteTenant", { tenant_id: tenant })).ok);
  const gone = async () =>
    !(await caller(doors.grpc, `viewer@${tenant}`)("PoolService.ListPools")).ok || undefined;
  await eventually("the deletion is known", gone);
  const own = async (id: string) =>
    errorOf(await caller(doors.grpc, `viewer@${id}`)("PoolService.ListPools"));
  const chosen = async (id: string) =>
    errorOf(await operator("PoolService.ListPools", {}, { "x-tenant-id": id }));
  t.like(await own(tenant), { errorCode: "PERMISSION_DENIED", reason: "TENANT_UNKNOWN" });
  t.deepEqual(await own(tenant), await own(nobody));
  t.like(await chosen(tenant), { errorCode: "NOT_FOUND" });
  t.deepEqual(await chosen(tenant), await chosen(nobody));
  const record = await operator("TenantService.GetTenant", { tenant_id: tenant });
  t.like(record, { message: { status: "deleted" } }, "an operator still sees the record");
});

test("given a tenant's own principal, then it sees its own tenant only", async (t) => {
  const { doors } = t.context;
  const [a, b] = [await createTenant(doors), await createTenant(doors)];
  const own = caller(doors.grpc, `admin@${a}`);
  t.like(await own("TenantService.ListTenants"), { message: { total: 1, tenants: [{ id: a }] } });
  t.like(await own("TenantService.ListTenants", { status: "suspended" }), {
    message: { total: 0, tenants: [] },
  });
  for (const [method, more] of [
    ["TenantService.GetTenant", {}],
    ["TenantService.UpdateTenant", { name: "mine", update_mask: ["name"] }],
    ["TenantService.GetQuota", { operation: "enqueue" }],
  ] as const) {
    const foreign = errorOf(await own(method, { tenant_id: b, ...more }));
    t.like(foreign, { errorCode: "NOT_FOUND" }, method);
    t.deepEqual(foreign, errorOf(await own(method, { tenant_id: nobody, ...more })), method);
  }
  for (const method of ["TenantService.CreateTenant", "TenantService.DeleteTenant"])
    t.like(
      errorOf(await own(method, { tenant_id: a, name: "x" })),
      { errorCode: "PERMISSION_DENIED" },
      method,
    );
});

test("given a tenant's own administrator, then it may change name and settings, and nothing else", async (t) => {
  const { doors } = t.context;
  const tenant = await createTenant(doors);
  const own = caller(doors.grpc, `admin@${tenant}`);
  const update = (fields: Message, mask = Object.keys(fields)) =>
    own("TenantService.UpdateTenant", { tenant_id: tenant, ...fields, update_mask: mask });
  const settings = { "notification.timezone": "Asia/Kathmandu" };
  t.like(await update({ name: "new", settings }), {
    message: { name: "new", settings, record_version: 2 },
  });
  const kept: readonly [Message, string[]?][] = [
    [{ status: "suspended" }],
    [{ plan: "gold" }],
    [{ quotas: { enqueue: 5 } }],
    [{ quotas: { enqueue: 5 } }, ["quotas.enqueue"]],
    [{ limits: { rps: 5 } }],
    [{ environments: ["lab"] }],
    [{ plan: "gold" }, []],
  ];
  for (const [fields, mask] of kept)
    t.like(errorOf(await update(fields, mask)), { errorCode: "PERMISSION_DENIED" }, JSON.stringify(fields));
  t.like(await own("TenantService.GetTenant", { tenant_id: tenant }), {
    message: { record_version: 2, plan: "" },
  });
  const viewer = caller(doors.grpc, `viewer@${tenant}`);
  const denied = await viewer("TenantService.UpdateTenant", {
    tenant_id: tenant,
    name: "x",
    update_mask: ["name"],
  });
  t.like(errorOf(denied), { errorCode: "PERMISSION_DENIED" });
});

test("given settings that tenants do not have, or of another type, then each is named and nothing is stored", async (t) => {
  const { doors } = t.context;
  const tenant = await createTenant(doors);
  const every = Object.values(doors).filter((door) =>
    door.serves(probeContract.byName.get("TenantService.UpdateTenant")!),
  );
  const settings = {
    "notification.retention_days": "9",
    "notification.require_verified": true,
    "notification.timezone": "Mars/Olympus",
    "storage.engine": "memory",
    colour: "red",
  };
  for (const door of every) {
    const own = caller(door, `admin@${tenant}`);
    const refused = errorOf(
      await own("TenantService.UpdateTenant", {
        tenant_id: tenant,
        name: "new",
        settings,
        update_mask: ["name", "settings"],
      }),
    );
    t.is(refused.errorCode, "INVALID_ARGUMENT", door.name);
    const fields = refused.fields as { field: string; reason: string }[];
    t.deepEqual(
      fields.map(({ field }) => field).sort(),
      [
        "settings.`notification.retention_days`",
        "settings.`notification.timezone`",
        "settings.`storage.engine`",
        "settings.colour",
      ],
      door.name,
    );
    const reasonOf = (name: string) => fields.find(({ field }) => field.includes(name))?.reason;
    t.is(reasonOf("retention_days"), "must be of type integer 1 to 3650, not text");
    t.is(reasonOf("timezone"), "must be an IANA time zone such as Europe/Berlin");
    t.regex(reasonOf("colour")!, /^is no setting of tenants; those are .*notification\.retention_days/);
  }
  t.like(await caller(doors.grpc, "platform")("TenantService.GetTenant", { tenant_id: tenant }), {
    message: { name: "acme", settings: {}, record_version: 1 },
  });
});

test("given an environment that the tenant does not have, then X-Environment is refused; given one it has, it is accepted", async (t) => {
  const { doors } = t.context;
  const tenant = await createTenant(doors, { environments: ["production", "lab"] });
  const own = caller(doors.grpc, `admin@${tenant}`);
  const makes = (environment: string) =>
    own("PoolService.CreatePool", { name: "p" }, { "x-environment": environment });
  t.like(await makes("lab"), { message: { environment: "lab" } });
  t.like(errorOf(await makes("staging")), {
    errorCode: "INVALID_ARGUMENT",
    fields: [{ field: "X-Environment" }],
  });
  const usual = caller(doors.grpc, `admin@${await createTenant(doors)}`);
  const unusual = await usual("PoolService.ListPools", {}, { "x-environment": "lab" });
  t.like(errorOf(unusual), { errorCode: "INVALID_ARGUMENT" });
});

test.serial(
  "reading all pages returns as many tenants as the total, and deleted ones only if asked for",
  async (t) => {
    const { doors } = t.context;
    const operator = caller(doors.grpc, "platform");
    const made: string[] = [];
    for (let i = 0; i < 5; i++) made.push(await createTenant(doors));
    t.true((await operator("TenantService.DeleteTenant", { tenant_id: made[4]! })).ok);
    const seen: string[] = [];
    let page_token = "";
    let total = 0;
    do {
      const page = (await operator("TenantService.ListTenants", { page_size: 2, page_token })) as unknown as {
        message: { tenants: { id: string }[]; next_page_token: string; total: number };
      };
      seen.push(...page.message.tenants.map(({ id }) => id));
      page_token = page.message.next_page_token;
      total = page.message.total;
    } while (page_token !== "");
    t.deepEqual(seen, [...seen].sort());
    t.true([devTenantId, systemTenantId, ...made.slice(0, 4)].every((id) => seen.includes(id)));
    t.false(seen.includes(made[4]!));
    t.is(total, seen.length);
    const gone = (await operator("TenantService.ListTenants", {
      status: "deleted",
      page_size: 1_000,
    })) as unknown as {
      message: { tenants: { id: string }[] };
    };
    t.true(gone.message.tenants.some(({ id }) => id === made[4]));
  },
);

test("limits: given queue_depth, then no pool of the tenant takes more items, however many its max_depth allows", async (t) => {
  const { doors } = t.context;
  const tenant = await createTenant(doors, { limits: { queue_depth: 2 } });
  const own = caller(doors.grpc, `admin@${tenant}`);
  for (const name of ["one", "two"]) {
    const made = await own("PoolService.CreatePool", { name });
    const { id: pool_id } = (made as { message: { id: string } }).message;
    const enqueue = () => own("QueueService.Enqueue", { pool_id, payload: 1 });
    t.true((await enqueue()).ok && (await enqueue()).ok, name);
    const full = errorOf(await enqueue());
    t.like(full, { errorCode: "RATE_LIMITED", reason: "QUEUE_FULL" }, name);
    t.regex(full.detail as string, /queue_depth \(2\)/);
  }
});

test("limits: given rps, then the tenant is throttled and others are not", async (t) => {
  const { doors } = t.context;
  const [slow, free] = [await createTenant(doors, { limits: { rps: 1 } }), await createTenant(doors)];
  const list = (tenant: string) => caller(doors.grpc, `viewer@${tenant}`)("PoolService.ListPools");
  const tries = await Promise.all(Array.from({ length: 10 }, () => list(slow)));
  t.like(errorOf(tries.find(({ ok }) => !ok)!), { errorCode: "RATE_LIMITED", reason: "RATE" });
  t.true(tries.some(({ ok }) => ok));
  t.true((await Promise.all(Array.from({ length: 10 }, () => list(free)))).every(({ ok }) => ok));
});

test("given an open stream, when its tenant is suspended, then the stream ends with that error", async (t) => {
  const { doors } = t.context;
  const tenant = await createTenant(doors);
  const own = caller(doors.grpc, `admin@${tenant}`);
  const made = await own("PoolService.CreatePool", { name: "p" });
  const { id: pool_id } = (made as { message: { id: string } }).message;
  const recipient = await own("RecipientService.CreateRecipient", { pool_id, name: "r" });
  const { id: recipient_id } = (recipient as { message: { id: string } }).message;
  const work = probeContract.byName.get("QueueService.Work")!;
  const hello = { hello: { pool_id, recipient_id, credit: 1 } };
  // The client stays: the service has to end the stream.
  const ended = doors.grpc.stream!(work, [hello], {
    headers: { authorization: `Bearer admin@${tenant}` },
    take: 1_000,
  });
  t.true((await own("QueueService.Enqueue", { pool_id, payload: 1 })).ok);
  await eventually("the stream is open, and has an item", async () => {
    const status = await own("QueueControlService.GetQueueStatus", { pool_id });
    return (status as { message: { leased: number } }).message.leased === 1 || undefined;
  });
  const suspended = await caller(doors.grpc, "platform")("TenantService.UpdateTenant", {
    tenant_id: tenant,
    status: "suspended",
    update_mask: ["status"],
  });
  t.true(suspended.ok);
  t.like(errorOf(await ended), { errorCode: "PERMISSION_DENIED", reason: "TENANT_SUSPENDED" });
});

test("a tenant that has used up its storage_bytes can add nothing, and can again after it has deleted enough", async (t) => {
  const { doors } = t.context;
  const tenant = await createTenant(doors, { limits: { storage_bytes: "100000" } });
  const ask = caller(doors.grpc, `admin@${tenant}`);
  const pool = (await ask("PoolService.CreatePool", { name: "full" })) as { message: { id: string } };
  const item = { pool_id: pool.message.id, payload: { text: "x".repeat(20_000) } };
  const refused = await eventually("the limit is known", async () => {
    const outcome = await ask("QueueService.Enqueue", item);
    return outcome.ok ? undefined : errorOf(outcome);
  });
  t.like(refused, { errorCode: "QUOTA_EXCEEDED", reason: "STORAGE" });
  for (const [name, request] of [
    ["PoolService.CreatePool", { name: "another" }],
    ["QueueService.EnqueueBatch", { pool_id: pool.message.id, items: [{ payload: {} }] }],
  ] as const)
    t.like(errorOf(await ask(name, request)), { errorCode: "QUOTA_EXCEEDED", reason: "STORAGE" }, name);
  t.true((await ask("PoolService.ListPools")).ok);
  t.true((await ask("QueueControlService.PauseQueue", { pool_id: pool.message.id })).ok);
  t.true((await ask("PoolService.DeletePool", { pool_id: pool.message.id, force: true })).ok);
  await eventually("there is room again", async () =>
    (await ask("PoolService.CreatePool", { name: "again" })).ok ? true : undefined,
  );
});
