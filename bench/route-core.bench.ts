// What does a route cost in processor time without a door: asking, deciding, recording, committing?
import { handleOf, limits, systemClock } from "#base";
import { type Asker, type Caller, startRuntime, systemWorld } from "#runtime";
import { attachStorage, startStorage } from "#storage";
import type { Orchestration, Question } from "../actors/index.ts";
import { modules } from "../test/support/module-parts.ts";
import { defineBench, type Stats } from "./support/bench.ts";
import { inFolder } from "./support/folder.ts";

const recipients = 100;
const inFlight = 64;
/** By number and not by time: the first ones cost ten times as much, whatever the load of the machine. */
const warmed = 30_000;
const measured = 60_000;
const caller: Caller = {
  tenant: "00000000000000000000000DEV",
  subject: "bench",
  owner: "bench",
  principalKind: "user",
  requestId: "r",
  environmentMode: "any",
  platform: false,
};

export default defineBench({
  question:
    "What does a route among 100 recipients cost in processor time on the embedded engine, without a door?",
  contenders: {
    plain: () => routes(),
    idempotent: () => routes({ keyed: true }),
    /** A promotion decides 10 % of the keys. */
    canary: () => routes({ canary: true }),
  },
  bars: [{ figure: "cpu_us", contender: "canary", against: "plain", atMost: 1.11 }],
});

function routes({ keyed = false, canary = false } = {}): Promise<Stats> {
  return inFolder(async (dir) => {
    const host = await startStorage({ engine: "embedded", dir });
    const storage = await attachStorage(host.bootstrap(0).data);
    const runtime = await startRuntime({
      storage,
      shards: Array.from({ length: limits.shardCount }, (_, shard) => shard),
      definitions: modules.flatMap(({ actors }) => actors),
      world: systemWorld(),
    });
    const pool = await createPool(runtime);
    if (canary) await startCanary(runtime, pool);
    const { orchestrations } = modules.find(({ name }) => name === "routing")!;
    const route = orchestrations!["RoutingService.Route"] as Question;
    const attributes = { region: "eu", tier: "gold" };
    const { signal } = new AbortController();
    let routed = 0;
    const routeTo = async (end: number) => {
      while (routed < end) {
        const deadlineMs = Date.now() + limits.requestTimeoutMs;
        const call = {
          caller,
          asker: runtime,
          deadlineMs,
          signal,
          clock: systemClock,
          may: () => true,
          roles: [],
          headers: { get: () => undefined },
        };
        const request = { pool_id: pool, key: `customer-${routed % 1_000}`, attributes };
        const idempotency = { scope: `bench:${routed++}`, fingerprint: "f" };
        const context = keyed ? { ...call, idempotency } : call;
        await route.read(await runtime.ask(route.ask(request, context)), request, context);
      }
    };
    const all = (end: number) => Promise.all(Array.from({ length: inFlight }, () => routeTo(end)));
    await all(warmed);
    const before = process.cpuUsage();
    const start = performance.now();
    await all(warmed + measured);
    const { user, system } = process.cpuUsage(before);
    const elapsedMs = performance.now() - start;
    await runtime.drain();
    runtime.stop();
    await storage.close();
    await host.close();
    return { per_s: (measured / elapsedMs) * 1_000, cpu_us: (user + system) / measured };
  });
}

async function createPool(runtime: Asker): Promise<string> {
  const directory = { kind: "directory", tenant: caller.tenant, key: "pool" };
  const pool = await ask(runtime, directory, "PoolService.CreatePool", { name: "bench", tenantKey: "key" });
  const to = { kind: "pool", tenant: caller.tenant, key: handleOf(pool) };
  for (let i = 0; i < recipients; i++) {
    const recipient = { pool_id: pool, name: `r${i}`, weight: 1 + (i % 5) };
    await ask(runtime, to, "RecipientService.CreateRecipient", recipient);
  }
  return pool;
}

/** A candidate with another strategy, brought to its canary. */
async function startCanary(runtime: Asker, pool: string): Promise<void> {
  const to = { kind: "pool", tenant: caller.tenant, key: handleOf(pool) };
  const content = { strategy: { strategy: "two_choice" } };
  await ask(runtime, to, "pool.KeepVersion", { pool_id: pool, kind: "strategy", content });
  const create = modules.find(({ name }) => name === "promotions")!.orchestrations!;
  const artifacts = [{ kind: "strategy", id: pool, version: 1 }];
  const { id } = (await (create["PromotionService.CreateCandidate"] as Orchestration)(
    { environment_id: "production", artifacts },
    { ...callOf(), asker: runtime },
  )) as { id: string };
  const candidate = { kind: "promotion", tenant: caller.tenant, key: handleOf(id) };
  for (const step of ["Preflight", "EvaluateGuardrails", "StartCanary"])
    await ask(runtime, candidate, `PromotionService.${step}`, { candidate_id: id, share_bps: 1_000 });
}

function callOf() {
  return {
    caller,
    deadlineMs: Date.now() + limits.requestTimeoutMs,
    signal: new AbortController().signal,
    clock: systemClock,
    may: () => true,
    roles: [],
    headers: { get: () => undefined },
  };
}

/** The id of the created resource. */
async function ask(
  runtime: Asker,
  to: { kind: string; tenant: string; key: string },
  method: string,
  request: object,
): Promise<string> {
  const deadlineMs = Date.now() + limits.requestTimeoutMs;
  const answer = await runtime.ask({ to, method, request, caller, deadlineMs });
  if ("refused" in answer) throw new Error(answer.detail);
  return (answer.response as { id: string }).id;
}
