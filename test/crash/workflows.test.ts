import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import test from "ava";
import { Random } from "#base";
import { type RunningService, startDev } from "../process/support.ts";
import { eventually } from "../support/eventually.ts";

type Message = Record<string, unknown>;

/** `WORKFLOW_RUNS=2000 WORKFLOW_KILLS=20` is the full size. */
const runs = Number(process.env.WORKFLOW_RUNS ?? 60);
const kills = Number(process.env.WORKFLOW_KILLS ?? 2);

test("repeated kill -9: every run ends, no action is performed twice and no item is stored twice", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "workflows-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const storage = ["--set", `storage.dir=${folder}/data`];
  let service: RunningService = await startDev(t, storage);

  /** Repeats until a running process answers; with an idempotency key it applies once. */
  const call = async (method: string, path: string, body?: unknown, key?: string): Promise<Message> => {
    for (;;) {
      const headers = {
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(key !== undefined && { "idempotency-key": key }),
      };
      try {
        const response = await fetch(`http://127.0.0.1:${service.ports.http}${path}`, {
          method,
          headers,
          ...(body !== undefined && { body: JSON.stringify(body) }),
          signal: AbortSignal.timeout(30_000),
        });
        const answer = (await response.json()) as Message;
        if (response.status < 429) return answer;
      } catch {
        // The process is gone, or going.
      }
      await sleep(50);
    }
  };
  const made = async (path: string, body: object, key: string) =>
    (await call("POST", path, body, key)).data as { id: string };

  // Payments by run; none of them is safe to repeat.
  const paid = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const run = await text(request);
    paid.set(run, (paid.get(run) ?? 0) + 1);
    await sleep(paid.size % 4 === 0 ? 50 : 1);
    response.setHeader("content-type", "application/json");
    response.end("{}");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const at = "/api/v2/connector";
  const config = { name: "payments", provider_key: "http", auth: "none", config: { base_url } };
  const { id: provider_config_id } = await made(`${at}/provider-configs`, config, "config");
  await made(`${at}/provider-configs/${provider_config_id}:activate`, {}, "activate");
  const session = await made(`${at}/connect-sessions`, { provider_config_id }, "session");
  await made(`${at}/connect-sessions/${session.id}/submit`, { fields: {} }, "submit");
  const { connection_id } = session as unknown as { connection_id: string };

  const pool = (await made("/api/pools", { name: "work" }, "pool")).id;
  const recipient = (await made(`/api/pools/${pool}/recipients`, { name: "w" }, "recipient")).id;
  const steps = [
    { id: "choose", type: "route", pool_id: pool },
    { id: "pause", type: "wait", seconds: 1 },
    {
      id: "pay",
      type: "action",
      action_key: "http.request",
      connection_id,
      input: { url: "/", method: "POST", body: "${run.id}" },
      on_error: "continue",
    },
    { id: "work", type: "enqueue", pool_id: pool, key: "${run.key}", payload: "${run.id}", wait: true },
    { id: "go", type: "wait_event", event_key: "go" },
  ];
  const output = { work: "${steps.work.output.result}", pay: "${steps.pay.status}" };
  const draft = { steps, output };
  const definition = await made("/api/workflow-definitions", { key: "killed", draft }, "definition");
  await call("POST", `/api/workflow-definitions/${definition.id}/publish`, {}, "publish");

  let over = false;
  const starters = Array.from({ length: 8 }, async (_, worker) => {
    for (let n = worker; n < runs; n += 8) {
      const body = { definition_id: definition.id, input: {}, run_key: `k${n}` };
      const { run } = (await call("POST", "/api/workflow-runs", body, `start-${n}`)).data as unknown as {
        run: Message;
      };
      await call(
        "POST",
        `/api/workflow-runs/${run.id}/signals`,
        { event_key: "go", event_id: "e" },
        `signal-${n}`,
      );
    }
  });
  const workers = Array.from({ length: 4 }, async () => {
    while (!over) {
      const claim = { recipient_id: recipient, max_items: 20, wait_seconds: 1 };
      const { items = [] } = ((await call("POST", `/api/queues/${pool}/items:claim`, claim)).data ?? {}) as {
        items?: { item: Message; lease_token: string }[];
      };
      for (const { item, lease_token } of items)
        await call("POST", `/api/queues/${pool}/items/${item.id}/complete`, {
          lease_token,
          result: item.payload,
        });
    }
  });

  const random = new Random("kills");
  for (let kill = 0; kill < kills; kill++) {
    await sleep(300 + random.int(1_500));
    service.signal("SIGKILL");
    await service.ended;
    service = await startDev(t, storage);
  }
  await Promise.all(starters);
  const total = async (query: string) => (await call("GET", `/api/workflow-runs?limit=1${query}`)).total;
  await eventually("every run has succeeded", async () =>
    (await total("&status=succeeded")) === runs ? true : undefined,
  );
  over = true;
  await Promise.all(workers);
  t.is(await total(""), runs);
  t.is((await call("GET", `/api/queues/${pool}/items?limit=1`)).total, runs, "one item a run");
  t.deepEqual(
    [...paid].filter(([, times]) => times > 1),
    [],
    "no action twice",
  );
  const unknown = await unpaid(call);
  t.true(paid.size >= runs - unknown, `${paid.size} paid, ${unknown} failed, ${runs} runs`);
  t.log(`${runs} runs, ${kills} kills: ${paid.size} actions performed, ${unknown} of unknown outcome`);
  const seen = new Set<string>();
  for (let cursor = ""; ; ) {
    const page = await call("GET", `/api/queues/${pool}/items?limit=200${cursor && `&cursor=${cursor}`}`);
    for (const item of page.data as Message[]) seen.add(item.payload as string);
    if (!page.next_cursor) break;
    cursor = page.next_cursor as string;
  }
  t.is(seen.size, runs, "each of another run");
});

test("given runs that wait, when a version is published, the definition archived and the process killed, then each ends by its own version", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "workflows-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const storage = ["--set", `storage.dir=${folder}/data`];
  let service: RunningService = await startDev(t, storage);
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`http://127.0.0.1:${service.ports.http}${path}`, {
      method,
      headers: { "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    return ((await response.json()) as Message).data as Message;
  };
  const draft = { steps: [{ id: "listen", type: "wait_event", event_key: "go" }], output: "old" };
  const { id } = await call("POST", "/api/workflow-definitions", { key: "pinned", draft });
  const at = `/api/workflow-definitions/${id}`;
  const start = async () =>
    ((await call("POST", "/api/workflow-runs", { definition_id: id })).run as Message).id as string;
  await call("POST", `${at}/publish`, {});
  const old = await start();
  await call("PATCH", `${at}/draft`, { draft: { output: "new" } });
  await call("POST", `${at}/publish`, {});
  const newer = await start();
  await call("POST", `${at}/archive`, {});
  service.signal("SIGKILL");
  await service.ended;
  service = await startDev(t, storage);
  for (const [run, output] of [
    [old, "old"],
    [newer, "new"],
  ]) {
    await call("POST", `/api/workflow-runs/${run}/signals`, { event_key: "go" });
    const ended = await eventually("the run ends", async () => {
      const found = await call("GET", `/api/workflow-runs/${run}`);
      return found.ended_at === undefined ? undefined : found;
    });
    t.like(ended, { status: "succeeded", output });
  }
});

/** Runs whose action failed: each must say that the action may have been performed. */
async function unpaid(call: (method: string, path: string) => Promise<Message>): Promise<number> {
  let found = 0;
  for (let cursor = ""; ; ) {
    const page = await call("GET", `/api/workflow-runs?limit=200${cursor && `&cursor=${cursor}`}`);
    for (const { id } of page.data as Message[]) {
      const { data } = await call("GET", `/api/workflow-runs/${id}`);
      if (((data as Message).output as Message).pay === "succeeded") continue;
      const steps = (await call("GET", `/api/workflow-runs/${id}/steps`)).data as Message[];
      const { error } = steps.find((step) => step.id === "pay") as { error: Message };
      if (error.code !== "OUTCOME_UNKNOWN") throw new Error(JSON.stringify(error));
      found++;
    }
    if (!page.next_cursor) return found;
    cursor = page.next_cursor as string;
  }
}
