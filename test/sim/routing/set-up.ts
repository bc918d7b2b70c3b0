import { devTenantId, handleOf, isRefusal, type Random } from "#base";
import type { Address } from "../../../runtime/index.ts";
import type { Callers } from "../caller.ts";
import type { Stage } from "../scenario.ts";
import { configOf, drawPool } from "./settings.ts";
import type { KnownPool, Message } from "./told.ts";

/** A pool with its recipients and a rule, as far as the faults allow. */
export function createPool(callers: Callers, name: string, random: Random): KnownPool {
  const settings = drawPool(name, random);
  const pool: KnownPool = {
    settings,
    id: "",
    recipientIds: [],
    items: new Map(),
    leases: [],
    routings: [],
    drained: 0,
    purged: 0,
    cleared: new Set(),
    beaten: new Set(),
    silent: new Set(),
  };
  const request = {
    name,
    strategy: settings.strategy,
    config: configOf(settings),
    tenantKey: "key",
  };
  insist(callers, poolDirectory, "PoolService.CreatePool", request, name, (made) => {
    pool.id = made.id as string;
    for (const index of settings.capacities.keys()) createRecipient(callers, pool, index);
    createRule(callers, pool);
  });
  return pool;
}

export function at(pool: KnownPool, kind: "pool" | "router" | "queue"): Address {
  return { kind, tenant: devTenantId, key: handleOf(pool.id) };
}

const poolDirectory: Address = { kind: "directory", tenant: devTenantId, key: "pool" };

function createRecipient(callers: Callers, pool: KnownPool, index: number): void {
  const { request, scope } = recipientOf(pool, index);
  insist(callers, at(pool, "pool"), "RecipientService.CreateRecipient", request, scope, (made) =>
    meet(pool, made),
  );
}

/** Recipients that the faults kept from being created or confirmed: requested again with the same keys. */
export async function completePool(pool: KnownPool, stage: Stage): Promise<void> {
  const { capacities } = pool.settings;
  if (pool.recipientIds.length === capacities.length) return;
  for (const index of capacities.keys()) {
    const { request, scope } = recipientOf(pool, index);
    const asked = { to: at(pool, "pool"), method: "RecipientService.CreateRecipient", request };
    const made = await stage.demand({ ...asked, idempotency: { scope, fingerprint: "f" } });
    if (made !== undefined) meet(pool, made as Message);
  }
}

function recipientOf(pool: KnownPool, index: number): { request: Message; scope: string } {
  const name = `r${index}`;
  const { id: pool_id, settings } = pool;
  const capacity = settings.capacities[index];
  const request = { pool_id, name, capacity, ...(index === 1 && { labels: { x: "1" } }) };
  return { request, scope: `${settings.name} ${name}` };
}

function meet({ recipientIds }: KnownPool, { id }: Message): void {
  if (!recipientIds.includes(id as string)) recipientIds.push(id as string);
}

function createRule(callers: Callers, pool: KnownPool): void {
  const request = {
    pool_id: pool.id,
    name: "vip",
    condition: "item.priority == 1 && item.attributes.c == 'a'",
    action: { restrict: { labels: { x: "1" } } },
    enabled: true,
    order: 1,
  };
  const scope = `${pool.settings.name} rule`;
  insist(callers, at(pool, "pool"), "RuleService.CreateRule", request, scope, () => {});
}

/** Some items of one pool are redirected to another. */
export function createRedirect(
  callers: Callers,
  from: KnownPool,
  to: KnownPool,
  made: (id: string) => void,
): void {
  const request = {
    pool_id: from.id,
    name: "away",
    condition: "has(item.attributes.away)",
    action: { redirect: { pool_id: to.id } },
  };
  insist(callers, at(from, "pool"), "RuleService.CreateRule", request, "away", (rule) =>
    made(rule.id as string),
  );
}

/** Repeated until it succeeds. */
function insist(
  callers: Callers,
  to: Address,
  method: string,
  request: Message,
  scope: string,
  granted: (made: Message) => void,
): void {
  let known = false;
  callers.persist(
    { to, method, request, idempotency: { scope, fingerprint: "f" } },
    {
      attemptsLeft: Number.MAX_SAFE_INTEGER,
      attempted: () => {},
      heard: (answer) => {
        if (isRefusal(answer) || known) return;
        known = true;
        granted(answer.response as Message);
      },
    },
  );
}
