import anyTest, { type TestFn } from "ava";
import { limits } from "#base";
import type { AuditBatch, AuditEntry } from "../../gateway/audit/entry.ts";
import { AuditRecorder } from "../../gateway/audit/index.ts";
import { tenantA, tenantB, testProviders } from "./support/auth.ts";
import { type Doors, doorsOf, type Outcome } from "./support/clients.ts";
import { probeContract, startTestService, type TestService } from "./support/service.ts";

const test = anyTest.serial as TestFn<{
  service: TestService;
  doors: Doors;
  recorder: AuditRecorder;
  batches: AuditBatch[];
}>;
const method = (name: string) => probeContract.byName.get(name)!;
const bearer = (name: string) => ({ authorization: `Bearer ${name}` });
const nowhere = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

test.before(async (t) => {
  const batches: AuditBatch[] = [];
  const recorder = new AuditRecorder((batch) => void batches.push(batch), 3_600_000);
  const service = await startTestService({
    runtime: true,
    settings: { authEnabled: true },
    providers: testProviders,
    audit: recorder,
  });
  t.context = { service, doors: doorsOf(service), recorder, batches };
});

test.after.always(async (t) => {
  for (const door of Object.values(t.context.doors)) door.close?.();
  await t.context.service.close();
});

/** The entries recorded since the last call. */
function recorded({
  recorder,
  batches,
}: {
  recorder: AuditRecorder;
  batches: AuditBatch[];
}): readonly AuditEntry[] {
  recorder.close();
  return batches.splice(0).flatMap(({ entries }) => entries);
}

const idOf = (outcome: Outcome) => (outcome.ok ? (outcome.message as { id: string }).id : "");

test("on every door a change is recorded with its caller and the resource it created", async (t) => {
  for (const door of Object.values(t.context.doors)) {
    recorded(t.context);
    const headers = { ...bearer("admin"), "x-request-id": "r-1", "x-environment": "staging" };
    const made = await door.unary(method("PoolService.CreatePool"), { name: "p" }, headers);
    t.true(made.ok, `${door.name} ${JSON.stringify(made)}`);
    const [entry, ...more] = recorded(t.context);
    t.like(
      entry,
      {
        type: "call",
        request_id: "r-1",
        plane: door.name.includes("internal") ? "internal" : "external",
        method: "PoolService.CreatePool",
        permission: "pool:write",
        outcome: "OK",
        kind: "user",
        subject: "anna",
        tenant: tenantA,
        environment: "staging",
        target: { id: idOf(made) },
      },
      door.name,
    );
    t.regex(entry!.address, /127\.0\.0\.1$/, door.name);
    t.deepEqual(more, []);
  }
});

test("on every door a denial is recorded, whatever the method's audit option says", async (t) => {
  const denied: [name: string, headers: Record<string, string>, outcome: string, subject?: string][] = [
    ["PoolService.CreatePool", {}, "UNAUTHENTICATED"],
    ["PoolService.CreatePool", bearer("nobody"), "UNAUTHENTICATED"],
    ["PoolService.CreatePool", bearer("viewer"), "PERMISSION_DENIED", "vera"],
    ["PoolService.GetPool", { ...bearer("viewer"), "x-tenant-id": tenantB }, "TENANT_MISMATCH", "vera"],
    ["RoutingService.Route", bearer("viewer"), "PERMISSION_DENIED", "vera"],
  ];
  for (const door of Object.values(t.context.doors))
    for (const [name, headers, outcome, subject] of denied) {
      recorded(t.context);
      await door.unary(
        method(name),
        name.endsWith("CreatePool") ? { name: "p" } : { pool_id: nowhere },
        headers,
      );
      const entries = recorded(t.context);
      t.is(entries.length, 1, `${door.name} ${name}`);
      t.like(entries[0], { method: name, outcome }, door.name);
      t.is(entries[0]!.subject, subject, door.name);
      t.regex(entries[0]!.detail!, /./);
      t.is(entries[0]!.tenant, subject === undefined ? undefined : tenantA);
    }
});

test("reads, hot-path calls and refused changes are not recorded, unless the method's option is `always`", async (t) => {
  for (const door of Object.values(t.context.doors)) {
    const made = await door.unary(method("PoolService.CreatePool"), { name: "p" }, bearer("admin"));
    recorded(t.context);
    const about = { pool_id: idOf(made) };
    await door.unary(method("PoolService.GetPool"), about, bearer("admin"));
    await door.unary(method("RoutingService.Route"), about, bearer("admin"));
    await door.unary(method("QueueService.Enqueue"), about, bearer("admin"));
    await door.unary(method("PoolService.DeletePool"), { pool_id: nowhere }, bearer("admin"));
    t.deepEqual(recorded(t.context), [], door.name);
    await door.unary(method("QueueControlService.PauseQueue"), { pool_id: nowhere }, bearer("admin"));
    const target = { pool_id: nowhere };
    t.like(recorded(t.context)[0], { outcome: "NOT_FOUND", target, subject: "anna" }, door.name);
  }
});

test("a request and its repeat with the same Idempotency-Key are recorded once", async (t) => {
  const door = t.context.doors["rest-uws"];
  const headers = { ...bearer("admin"), "idempotency-key": "k" };
  recorded(t.context);
  for (let i = 0; i < 2; i++) await door.unary(method("PoolService.CreatePool"), { name: "p" }, headers);
  const [first, second] = recorded(t.context);
  t.is(first!.replayed, undefined);
  t.like(second, { replayed: true, target: { ...first!.target } });
});

test("the reason given by a caller is recorded; other fields of its request and answer are not", async (t) => {
  const door = t.context.doors["rest-uws"];
  recorded(t.context);
  const group = { pool_id: nowhere, constraint_kind: "singleton", group_id: "g".repeat(22) };
  const clear = method("AdmissionService.ClearAdmissionGroup");
  await door.unary(clear, { ...group, reason: "stuck since noon" }, bearer("admin"));
  const [entry] = recorded(t.context);
  t.like(entry, { reason: "stuck since noon", target: group });
  const key = { name: "secret name", roles: ["viewer"] };
  await door.unary(method("ApiKeyService.CreateApiKey"), key, bearer("admin"));
  const [made] = recorded(t.context);
  t.like(made, { method: "ApiKeyService.CreateApiKey", outcome: "OK" });
  t.deepEqual(Object.keys(made!.target ?? {}), ["id"]);
  t.notRegex(JSON.stringify(made), /secret name|sy_/);
});

test("equal denials in a batch are one entry with a count, by caller", async (t) => {
  const door = t.context.doors["rest-uws"];
  recorded(t.context);
  for (let i = 0; i < 5; i++) await door.unary(method("PoolService.GetPool"), { pool_id: nowhere }, {});
  await door.unary(method("PoolService.CreatePool"), { name: "p" }, bearer("viewer"));
  t.deepEqual(
    recorded(t.context).map(({ outcome, count }) => [outcome, count]),
    [
      ["UNAUTHENTICATED", 5],
      ["PERMISSION_DENIED", undefined],
    ],
  );
});

test("entries beyond the size of a batch are counted as lost", (t) => {
  const batches: AuditBatch[] = [];
  const recorder = new AuditRecorder((batch) => void batches.push(batch));
  const call = {
    method: method("PoolService.CreatePool"),
    headers: { get: () => undefined },
    remoteAddress: "192.0.2.1",
  } as never;
  for (let i = 0; i < limits.auditBatchMax + 3; i++) recorder.ended(call, {}, { atMs: 0 });
  recorder.close();
  t.is(batches[0]!.entries.length, limits.auditBatchMax);
  t.is(batches[0]!.lost, 3);
});
