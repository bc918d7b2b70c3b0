/** Creates many pools on its own runtime, deletes them, and writes the heap size after each step to stdout. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { handleOf, isRefusal } from "#base";
import { startRuntime, systemWorld } from "#runtime";
import { attachStorage, startStorage } from "#storage";
import { testCaller } from "../support/entity.ts";
import { eventually } from "../support/eventually.ts";
import { modules } from "../support/module-parts.ts";

export interface ManyPools {
  readonly resident: number;
  readonly passivations: number;
  /** Heap bytes per pool after all were created, after all were evicted, and after they were deleted. */
  readonly madeBytes: number;
  readonly idleBytes: number;
  readonly deletedBytes: number;
}

const warmUp = 300;
const atOnce = 50;
const tenant = "t";
const {
  pools: count,
  entityIdleMs,
  deletes,
} = JSON.parse(process.argv[2]!) as {
  pools: number;
  deletes: boolean;
  entityIdleMs?: number;
};

const dir = mkdtempSync(join(tmpdir(), "service-"));
const host = await startStorage({ engine: "embedded", dir });
const storage = await attachStorage(host.bootstrap(0).data);
const runtime = await startRuntime({
  storage,
  shards: Array.from({ length: 256 }, (_, shard) => shard),
  definitions: modules.flatMap(({ actors }) => actors),
  world: systemWorld(),
  ...(entityIdleMs !== undefined && { limits: { entityIdleMs } }),
});

let before = 0;
// A first round, so that compiled code and lists that grow once are not counted.
const first = await createPools(warmUp);
await readAll(first);
await deleteAll(first);
await bytesOnceIdle();
before = await heapBytes();
const ids = await createPools(count);
const madeBytes = ((await heapBytes()) - before) / count;
const [stats] = await runtime.stats();
await readAll(ids);
const idleBytes = await bytesOnceIdle();
if (deletes) await deleteAll(ids);
const deletedBytes = await bytesOnceIdle();
const found: ManyPools = {
  resident: stats!.residentCells,
  passivations: stats!.passivations,
  madeBytes,
  idleBytes,
  deletedBytes,
};
runtime.stop();
await storage.close();
await host.close();
rmSync(dir, { recursive: true });
process.stdout.write(JSON.stringify(found));

async function createPools(pools: number): Promise<string[]> {
  const created = await oneByOne(
    Array.from({ length: pools }, (_, index) => `p${index}`),
    (name) => ask("directory", "pool", "PoolService.CreatePool", { name, tenantKey: "key" }),
  );
  return created.map(({ id }) => id as string);
}

async function readAll(ids: readonly string[]): Promise<void> {
  await oneByOne(ids, (id) => ask("pool", handleOf(id), "PoolService.GetPool", { pool_id: id }));
}

async function deleteAll(ids: readonly string[]): Promise<void> {
  await oneByOne(ids, (id) => ask("pool", handleOf(id), "PoolService.DeletePool", { pool_id: id }));
}

async function ask(kind: string, key: string, method: string, request: object) {
  const deadlineMs = Date.now() + 600_000;
  const caller = testCaller(tenant);
  const answer = await runtime.ask({ to: { kind, tenant, key }, method, request, caller, deadlineMs });
  if (isRefusal(answer)) throw new Error(`${method}: ${answer.code} ${answer.detail}`);
  return answer.response as Record<string, unknown>;
}

async function oneByOne<From, To>(all: readonly From[], step: (one: From) => Promise<To>): Promise<To[]> {
  const done: To[] = [];
  for (let i = 0; i < all.length; i += atOnce)
    done.push(...(await Promise.all(all.slice(i, i + atOnce).map(step))));
  return done;
}

async function bytesOnceIdle(): Promise<number> {
  if (entityIdleMs !== undefined)
    await eventually("all are evicted", async () => {
      const [{ residentCells } = { residentCells: 0 }] = await runtime.stats();
      return residentCells === 0 || undefined;
    });
  return ((await heapBytes()) - before) / count;
}

/** After checkpoints and garbage collections: live bytes. */
async function heapBytes(): Promise<number> {
  await eventually("everything is stored", async () => {
    const [{ checkpointWaitingBytes } = { checkpointWaitingBytes: 0 }] = await runtime.stats();
    return checkpointWaitingBytes === 0 || undefined;
  });
  for (let i = 0; i < 3; i++) {
    globalThis.gc!();
    await sleep(20);
  }
  return process.memoryUsage().heapUsed;
}
