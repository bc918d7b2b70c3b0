import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { type RunningService, startDev } from "../process/support.ts";
import { eventually } from "../support/eventually.ts";

/** 100,000 in the long run: `RETRY_ALL_ITEMS=100000 npx ava test/crash/retry-all.test.ts`. */
const count = Number(process.env.RETRY_ALL_ITEMS ?? 2_000);

type Message = Record<string, unknown>;

function caller(service: RunningService) {
  return async (method: string, path: string, body?: unknown): Promise<Message> => {
    const response = await fetch(`http://127.0.0.1:${service.ports.http}${path}`, {
      method,
      ...(body !== undefined && {
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    });
    const parsed = (await response.json()) as Message;
    if (response.status >= 300) throw new Error(`${path}: ${JSON.stringify(parsed)}`);
    return parsed;
  };
}

test("kill -9 in the middle of a retry of all dead letters: each is retried exactly once", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "retry-all-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const storage = ["--set", `storage.dir=${folder}/data`];
  const first = await startDev(t, storage);
  const call = caller(first);
  const pool = (await call("POST", "/api/pools", { name: "p" })).data as { id: string };
  const recipient = (await call("POST", `/api/pools/${pool.id}/recipients`, { name: "r" })).data as Message;
  const [queue, dlq] = [`/api/queues/${pool.id}`, `/api/dlq/${pool.id}`];
  for (let made = 0; made < count; made += 100) {
    await call("POST", `${queue}/items:batch`, { items: Array.from({ length: 100 }, () => ({})) });
    const claimed = await call("POST", `${queue}/items:claim`, {
      recipient_id: recipient.id,
      max_items: 100,
    });
    const { items } = claimed.data as { items: { item: { id: string }; lease_token: string }[] };
    const settlements = items.map(({ item, lease_token }) => ({
      queue_item_id: item.id,
      lease_token,
      outcome: "reject",
    }));
    await call("POST", `${queue}/items:settle`, { settlements });
  }
  t.like((await call("GET", `${dlq}/stats`)).data as Message, { depth: count });
  const job = (await call("POST", `${dlq}/retry-all`, { rate: Math.ceil(count / 4) })).data as {
    operation_id: string;
  };
  const path = `${dlq}/retry-all/${job.operation_id}`;
  type Progress = { state: string; retried: number; skipped: number };
  const begun = await eventually("some are retried", async () => {
    const progress = (await call("GET", path)).data as Progress;
    return progress.retried > 0 ? progress : undefined;
  });
  first.signal("SIGKILL");
  await first.ended;
  t.is(begun.state, "running", "killed in the middle");

  const again = caller(await startDev(t, storage));
  const progress = await eventually("all are retried", async () => {
    const now = (await again("GET", path)).data as Progress;
    return now.state === "running" ? undefined : now;
  });
  t.deepEqual([progress.retried, progress.skipped], [count, 0]);
  const seen = new Set<unknown>();
  let cursor = "";
  do {
    const page = await again("GET", `${queue}/items?states=ready&limit=1000${cursor && `&cursor=${cursor}`}`);
    for (const { id, retry_count } of page.data as Message[]) {
      t.is(retry_count, 1);
      seen.add(id);
    }
    cursor = (page.next_cursor as string | null) ?? "";
  } while (cursor !== "");
  t.is(seen.size, count);
  t.like((await again("GET", `${dlq}/stats`)).data as Message, { depth: 0 });
});
