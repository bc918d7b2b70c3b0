import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { devTenantId } from "#base";
import { type RunningService, startDev } from "../process/support.ts";
import { eventually } from "../support/eventually.ts";

type Message = Record<string, unknown>;

const limit = 400;
const callers = 8;

async function call(service: RunningService, method: string, path: string, body?: unknown, key?: string) {
  const response = await fetch(`http://127.0.0.1:${service.ports.http}${path}`, {
    method,
    headers: {
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(key !== undefined && { "idempotency-key": key }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Message };
}

/** Enqueues until the quota refuses or the service is gone; keys without an answer stay in `open`. */
async function hammer(service: RunningService, pool: string, open: Set<string>, name: string) {
  for (let i = 0; ; i++) {
    const key = `${name}-${i}`;
    open.add(key);
    const answer = await call(service, "POST", `/api/queues/${pool}/items`, { key }, key).catch(
      () => undefined,
    );
    if (answer === undefined) return;
    open.delete(key);
    if (answer.status !== 201) return answer;
  }
}

test("kill -9 in the middle of enqueues under a quota: repeats are not charged again, and exactly the limit is accepted", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "quotas-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const storage = ["--set", `storage.dir=${folder}/data`];
  const first = await startDev(t, storage);
  const path = `/api/tenants/${devTenantId}`;
  t.is((await call(first, "PATCH", path, { quotas: { enqueue: limit } })).status, 200);
  const used = async (service: RunningService) =>
    (await call(service, "GET", `${path}/quota/enqueue`)).body.data as { used: number; limit?: number };
  const pool = ((await call(first, "POST", "/api/pools", { name: "p" })).body.data as { id: string }).id;
  await eventually("the limit is known", async () =>
    (await used(first)).limit === limit ? true : undefined,
  );
  // Every thread knows the limit a second later; until then usage is counted but not limited.
  await new Promise((resolve) => setTimeout(resolve, 1_100));

  const open = new Set<string>();
  const hammers = Array.from({ length: callers }, (_, n) => hammer(first, pool, open, `a${n}`));
  await eventually("a part of it is used", async () =>
    (await used(first)).used > limit / 4 ? true : undefined,
  );
  first.signal("SIGKILL");
  await first.ended;
  await Promise.all(hammers);

  const second = await startDev(t, storage);
  for (const key of open) await call(second, "POST", `/api/queues/${pool}/items`, { key }, key);
  const refused = await Promise.all(
    Array.from({ length: callers }, (_, n) => hammer(second, pool, new Set(), `b${n}`)),
  );
  for (const answer of refused) {
    t.is(answer?.status, 429);
    t.like(answer?.body, { errorCode: "QUOTA_EXCEEDED", retryable: false });
    t.regex(String(answer?.body.resets_at), /T00:00:00/);
  }
  t.is((await used(second)).used, limit);
  const listed = (await call(second, "GET", `/api/queues/${pool}/items?limit=1`)).body;
  t.is(listed.total, limit, "as many items as the limit, no more and no fewer");
});
