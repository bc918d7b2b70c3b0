import type { ExecutionContext } from "ava";
import type { CallContext } from "#actors";
import { handleOf, isRefusal, RefusalError, systemClock } from "#base";
import { type EffectHandlers, startRuntime, systemWorld } from "#runtime";
import { type Interference, MemoryStore, openMemory } from "../../storage/memory/index.ts";
import { testCaller } from "./entity.ts";
import { modules } from "./module-parts.ts";
import { orchestrate } from "./orchestrate.ts";
import { tenant } from "./pool.ts";

type Message = Record<string, unknown>;

/**
 * All modules on a real runtime over the memory engine, called as the gateway calls them. Starting it again over its
 * store is a restart.
 */
export async function startModules(
  t: ExecutionContext,
  store = new MemoryStore(),
  interference?: Interference,
) {
  const runtime = await startRuntime({
    storage: openMemory(store, interference),
    shards: Array.from({ length: 256 }, (_, index) => index),
    definitions: modules.flatMap((module) => module.actors),
    effects: Object.assign({}, ...modules.map(({ effects }) => effects)) as EffectHandlers,
    world: systemWorld(),
  });
  t.teardown(() => runtime.stop());
  const stop = new AbortController();
  t.teardown(() => stop.abort());
  const context = (key?: string, platform = false): CallContext => ({
    caller: { ...testCaller(tenant), platform },
    asker: runtime,
    // Longer than any delay of a busy machine: what a call does when its time is up is tested elsewhere.
    deadlineMs: Date.now() + 600_000,
    signal: stop.signal,
    clock: systemClock,
    may: () => true,
    roles: ["admin"],
    headers: { get: () => undefined },
    ...(key !== undefined && { idempotency: { scope: `${tenant}:${key}`, fingerprint: key } }),
  });
  const call = async (method: string, request: Message, key?: string): Promise<Message> => {
    try {
      return (await orchestrate(orchestrations[method]!, request, context(key))) as Message;
    } catch (error) {
      if (error instanceof RefusalError) return { ...error.refusal };
      throw error;
    }
  };
  const ask = async (
    kind: string,
    key: string,
    method: string,
    request: Message,
    more: object = {},
  ): Promise<Message> => {
    const caller = { ...testCaller(tenant), ...more };
    const deadlineMs = Date.now() + 600_000;
    const answer = await runtime.ask({ to: { kind, tenant, key }, method, request, caller, deadlineMs });
    return (isRefusal(answer) ? answer : answer.response) as Message;
  };
  const createPool = async (settings: Message = {}, caller: object = {}) => {
    const request = { name: "p", tenantKey: "key", ...settings };
    const pool = await ask("directory", "pool", "PoolService.CreatePool", request, caller);
    return pool.id as string;
  };
  const inPool = (poolId: string, method: string, request: Message = {}) =>
    ask("pool", handleOf(poolId), method, { pool_id: poolId, ...request });
  const inQueue = (poolId: string, method: string, request: Message = {}) =>
    ask("queue", handleOf(poolId), method, { pool_id: poolId, ...request });
  /** A pool with a recipient. */
  const createQueue = async (config: Message = {}, environment?: string) => {
    const poolId = await createPool({ config }, environment === undefined ? {} : { environment });
    const { id } = await inPool(poolId, "RecipientService.CreateRecipient", { name: "r" });
    return { poolId, recipientId: id as string };
  };
  return { runtime, stop, context, call, ask, createPool, inPool, inQueue, createQueue, store };
}

const orchestrations = Object.assign({}, ...modules.map((module) => module.orchestrations)) as NonNullable<
  (typeof modules)[number]["orchestrations"]
>;
