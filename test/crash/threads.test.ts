import { setTimeout as sleep } from "node:timers/promises";
import test from "ava";
import { eventually } from "../support/eventually.ts";
import type { Order } from "./faulty.ts";
import { Server } from "./server.ts";
import { Workload } from "./workload.ts";

const faults: readonly { claim: string; fault: Order["fault"]; httpServer: "uws" | "node" }[] = [
  { claim: "a worker that throws", fault: "throw", httpServer: "uws" },
  { claim: "a worker ended from outside (node:http)", fault: "terminate", httpServer: "node" },
  { claim: "a worker stuck in a loop", fault: "block", httpServer: "uws" },
  { claim: "a worker stuck while uWebSockets.js hands it a body", fault: "block_body", httpServer: "uws" },
];

for (const { claim, fault, httpServer } of faults)
  test.serial(
    `${claim} is replaced; callers get UNAVAILABLE meanwhile; nothing is lost or done twice`,
    async (t) => {
      const server = new Server(["server.workers=2", `server.http_server=${httpServer}`], true);
      t.teardown(() => server.remove());
      await server.start();
      const workload = new Workload(server);
      await workload.start(8);
      const pools = await createPools(server, 16);
      await sleep(500);
      const before = await epochs(server);
      const told = watch(server, pools, before);
      server.order({ fault, worker: 1 });
      if (fault === "block_body") sendBodies(server);
      for (const one of await told) t.is(one, "503 UNAVAILABLE true");
      const after = await epochs(server);
      for (const [shard, epoch] of before)
        if (shard % 2 === 0) t.is(after.get(shard), epoch, `shard ${shard} was not touched`);
        else t.true(after.get(shard)! > epoch, `shard ${shard} was opened again`);
      const acknowledged = workload.acknowledged;
      await eventually("work goes on", () => workload.acknowledged >= acknowledged + 20 || undefined);
      await workload.stop();
      t.deepEqual(await workload.check(), []);
      t.is(await server.terminate(), 0);
    },
  );

/** Opens enough connections that each thread gets one of them. */
function sendBodies({ url }: Server): void {
  for (let number = 0; number < 32; number++)
    fetch(`${url}/api/pools`, { method: "POST", body: "no JSON", headers: { connection: "close" } }).catch(
      () => undefined,
    );
}

/**
 * Reads the pools through the first thread until all of them answer and the second thread was replaced; returns the
 * refusals. There may be none: a thread that gets little processor time hears of the end and of the successor at once.
 */
async function watch(
  server: Server,
  pools: readonly string[],
  before: ReadonlyMap<number, number>,
): Promise<Set<string>> {
  const { internalUrl } = server;
  const told = new Set<string>();
  return eventually("the thread is replaced, and all pools answer", async () => {
    const refused = await Promise.all(
      pools.map(async (pool) => {
        const response = await fetch(`${internalUrl}/api/pools/${pool}`);
        const body = (await response.json()) as { errorCode?: string; retryable?: boolean };
        return response.status === 200 ? [] : [`${response.status} ${body.errorCode} ${body.retryable}`];
      }),
    );
    for (const one of refused.flat()) told.add(one);
    if (refused.flat().length > 0) return undefined;
    const now = await epochs(server);
    return [...before].every(([shard, epoch]) => shard % 2 === 0 || now.get(shard)! > epoch)
      ? told
      : undefined;
  });
}

async function createPools({ internalUrl }: Server, count: number): Promise<string[]> {
  const made = Array.from({ length: count }, async (_, number) => {
    const response = await fetch(`${internalUrl}/api/pools`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: `pool ${number}` }),
    });
    return ((await response.json()) as { data: { id: string } }).data.id;
  });
  return Promise.all(made);
}

/** Waits until all shards are ready: a busy thread may be missing from an answer. */
async function epochs({ internalUrl }: Server): Promise<Map<number, number>> {
  return eventually("all shards are ready", async () => {
    const response = await fetch(`${internalUrl}/api/_meta/shards`);
    const { data } = (await response.json()) as { data: { shards: Shard[] } };
    if (!data.shards.every(({ status }) => status === "ready")) return undefined;
    return new Map(data.shards.map(({ number, epoch }) => [number, epoch]));
  });
}

interface Shard {
  readonly number: number;
  readonly status: string;
  readonly epoch: number;
}
