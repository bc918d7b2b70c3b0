import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, request as httpRequest } from "node:http";
import { fileURLToPath } from "node:url";
import test, { type ExecutionContext } from "ava";
import { type QueueItem, Switchyard, type Worker } from "#sdk";
import { Server } from "../crash/server.ts";
import { eventually } from "../support/eventually.ts";
import { startProxy } from "../support/proxy.ts";
import { sourceArguments } from "../support/typescript/arguments.ts";

/** One server for all cases, behind a proxy that keeps its address over restarts. */
const server = new Server();
const target = { host: "127.0.0.1", port: 0 };
let proxy: Awaited<ReturnType<typeof startProxy>>;
let sy: Switchyard;

async function restart(): Promise<void> {
  await server.start();
  target.port = server.ports.http!;
}

test.before(async () => {
  await restart();
  proxy = await startProxy(target);
  sy = new Switchyard({ url: `http://127.0.0.1:${proxy.port}`, timeoutMs: 120_000, retries: 1_000 });
});
test.after.always(async () => {
  await proxy.close();
  await server.remove();
});

async function newPool(items: number, config = {}): Promise<{ pool: string; ids: readonly string[] }> {
  const { id: pool } = await sy.pools.create({ name: "faults", config: { lease_seconds: 20, ...config } });
  if (items === 0) return { pool, ids: [] };
  const entries = Array.from({ length: items }, (_, index) => ({ key: `item-${index}` }));
  const { results } = await sy.items.enqueueBatch({ pool_id: pool, items: entries });
  return { pool, ids: results.map(({ item }) => item!.id) };
}

async function itemsOf(pool: string): Promise<readonly QueueItem[]> {
  return (await sy.items.list({ pool_id: pool, limit: 1_000 }).page()).data;
}

const untilDone = (pool: string) =>
  eventually("all items are completed", async () => {
    const open = await sy.items
      .list({ pool_id: pool, states: ["ready", "leased", "retry_wait", "dead"], limit: 1 })
      .page();
    return open.data.length === 0 || undefined;
  });

/** A worker that notes what it has handled; items take some milliseconds. */
function working(t: ExecutionContext, pool: string, workMs = 5, client = sy) {
  const completed = new Map<string, number>();
  const worker: Worker = client.worker(
    pool,
    async (item, { signal }) => {
      await new Promise((resolve) => setTimeout(resolve, workMs));
      if (signal.aborted) return undefined;
      completed.set(item.id, (completed.get(item.id) ?? 0) + 1);
      return { key: item.key };
    },
    { recipient: "worker", signals: false, graceMs: 2_000 },
  );
  t.teardown(() => worker.stop());
  return { worker, completed };
}

async function nothingIsLeased(t: ExecutionContext, pool: string): Promise<void> {
  const leased = await sy.items.list({ pool_id: pool, states: ["leased"] }).page();
  t.deepEqual(
    leased.data.map(({ id }) => id),
    [],
  );
}

test.serial(
  "kill -9 of the server, several times: every item is completed, none is leased after the shutdown",
  async (t) => {
    t.timeout(600_000);
    const { pool, ids } = await newPool(300);
    const { worker, completed } = working(t, pool, 50);
    for (let kill = 0; kill < 2; kill++) {
      const before = completed.size;
      await eventually("some more items are handled", () => completed.size > before + 30 || undefined);
      await server.kill();
      await restart();
    }
    await untilDone(pool);
    await worker.stop();
    const items = await itemsOf(pool);
    t.is(items.length, ids.length);
    for (const { state, result, key } of items) t.deepEqual([state, result], ["completed", { key }]);
    // One that was handled again had lost its lease, or its connection before it was told of.
    for (const { id, deliveries } of items) t.true((completed.get(id) ?? 0) <= deliveries, id);
    await nothingIsLeased(t, pool);
  },
);

test.serial("a reply that is waited for over a kill -9 of the server comes", async (t) => {
  t.timeout(600_000);
  const { pool } = await newPool(0);
  const reply = sy.enqueueAndWait({ pool_id: pool, key: "asked" }, { timeoutMs: 240_000 });
  await eventually("it is enqueued", async () => (await itemsOf(pool)).length > 0 || undefined);
  await server.kill();
  await restart();
  const { worker } = working(t, pool);
  t.deepEqual((await reply).result, { key: "asked" });
  await worker.stop();
});

test.serial("a server that shuts down says go_away, and the worker goes on with the next one", async (t) => {
  t.timeout(600_000);
  const { pool } = await newPool(200);
  const { worker, completed } = working(t, pool, 50);
  await eventually("some items are handled", () => completed.size > 30 || undefined);
  const ended = server.terminate();
  t.is(await ended, 0);
  await restart();
  await untilDone(pool);
  await worker.stop();
  await nothingIsLeased(t, pool);
});

test.serial(
  "a paused recipient is given nothing, and settles what it holds; a resumed one goes on",
  async (t) => {
    t.timeout(600_000);
    const { pool } = await newPool(60, { lease_seconds: 4 });
    const { worker, completed } = working(t, pool, 1_000);
    await eventually("some items are handled", () => completed.size > 10 || undefined);
    const [recipient] = (await sy.recipients.list({ pool_id: pool }).page()).data;
    await sy.recipients.pause({ recipient_id: recipient!.id });
    await eventually("what it holds is settled", async () => {
      const leased = await sy.items.list({ pool_id: pool, states: ["leased"] }).page();
      return leased.data.length === 0 || undefined;
    });
    const before = completed.size;
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    t.is(completed.size, before);
    await sy.recipients.resume({ recipient_id: recipient!.id });
    await untilDone(pool);
    for (const { deliveries } of await itemsOf(pool)) t.is(deliveries, 1);
    await worker.stop();
  },
);

test.serial(
  "a lease that is cancelled aborts the signal of its handler, and its result is dropped",
  async (t) => {
    const { pool, ids } = await newPool(1);
    const reasons: unknown[] = [];
    const worker = sy.worker(
      pool,
      (_, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            reasons.push(signal.reason.reason);
            resolve("too late");
          });
        }),
      { signals: false },
    );
    t.teardown(() => worker.stop());
    await eventually("it is leased", async () => {
      const { state } = await sy.items.get({ pool_id: pool, queue_item_id: ids[0]! });
      return state === "leased" || undefined;
    });
    await sy.items.cancel({ pool_id: pool, queue_item_id: ids[0]! });
    await eventually("its handler is told", () => reasons.length > 0 || undefined);
    t.deepEqual(reasons, ["cancelled"]);
    await worker.stop();
    t.is((await sy.items.get({ pool_id: pool, queue_item_id: ids[0]! })).state, "cancelled");
  },
);

test.serial("leases are extended while a handler goes on, and its progress is shown", async (t) => {
  const { pool, ids } = await newPool(1, { lease_seconds: 2 });
  let finish = () => {};
  const worker = sy.worker(
    pool,
    async (_, { progress, extend }) => {
      await extend(3);
      progress({ percent: 40, note: "half way" });
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
    },
    { signals: false },
  );
  t.teardown(() => worker.stop());
  const get = () => sy.items.get({ pool_id: pool, queue_item_id: ids[0]! });
  await eventually(
    "its progress is shown",
    async () => (await get()).lease?.progress?.percent === 40 || undefined,
  );
  await new Promise((resolve) => setTimeout(resolve, 6_000));
  t.is((await get()).state, "leased");
  finish();
  await eventually("it is completed", async () => (await get()).state === "completed" || undefined);
  const { deliveries, attempts } = await get();
  t.deepEqual([deliveries, attempts], [1, 0]);
  await worker.stop();
});

test.serial(
  "half-open connection (nothing comes through, neither side is told): the worker connects again",
  async (t) => {
    t.timeout(600_000);
    const { pool } = await newPool(20);
    const { worker, completed } = working(t, pool);
    await eventually("all are handled", () => completed.size === 20 || undefined);
    proxy.loseAnswers();
    proxy.holdRequests();
    const direct = sy.items
      .enqueue({ pool_id: pool, key: "late" }, { idempotencyKey: "late" })
      .catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 16_000));
    proxy.pass();
    await direct;
    await sy.items.enqueue({ pool_id: pool, key: "late" }, { idempotencyKey: "late" });
    await untilDone(pool);
    t.is(completed.size, 21);
    await worker.stop();
  },
);

test.serial("a proxy that refuses upgrades: the worker claims instead", async (t) => {
  const refusing = createServer((request, response) => {
    const { method, url, headers } = request;
    const onward = httpRequest({ port: target.port, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  refusing.on("upgrade", (_, socket) => socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n"));
  const port = await new Promise<number>((resolve) => {
    refusing.listen(0, "127.0.0.1", () => resolve(Object(refusing.address()).port));
  });
  t.teardown(() => {
    refusing.closeAllConnections();
    refusing.close();
  });
  const { pool } = await newPool(150);
  const { worker, completed } = working(t, pool, 5, new Switchyard({ url: `http://127.0.0.1:${port}` }));
  await untilDone(pool);
  t.is(completed.size, 150);
  const { item } = await sy.items.enqueue({ pool_id: pool });
  await eventually("it is claimed", () => completed.has(item!.id) || undefined);
  await worker.stop();
  await nothingIsLeased(t, pool);
});

test.serial(
  "SIGTERM of a worker's process: running handlers end, others are aborted and their items released, and it exits",
  async (t) => {
    t.timeout(600_000);
    for (const [workMs, state] of [
      [300, "completed"],
      [60_000, "ready"],
    ] as const) {
      const { pool } = await newPool(12, { max_deliveries: 100 });
      const said: string[] = [];
      const file = fileURLToPath(new URL("./worker-process.ts", import.meta.url));
      const child = spawn(process.execPath, [...sourceArguments, file, server.url, pool, String(workMs)], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      t.teardown(() => void child.kill("SIGKILL"));
      child.stdout.setEncoding("utf8").on("data", (text: string) => said.push(...text.trim().split("\n")));
      await eventually(
        "it works",
        () => said.filter((line) => line.startsWith("begin")).length >= 5 || undefined,
      );
      child.kill("SIGTERM");
      const [code] = await once(child, "exit");
      t.is(code, 0, said.join("\n"));
      t.is(said.at(-1)?.trim(), "stopped");
      await nothingIsLeased(t, pool);
      const begun = new Set(
        said.filter((line) => line.startsWith("begin")).map((line) => line.split(" ")[1]!),
      );
      for (const { id, attempts, ...item } of await itemsOf(pool))
        if (begun.has(id)) t.deepEqual([item.state, attempts], [state, 0]);
    }
  },
);
