import { assert } from "#base";
import type { Door } from "../support/clients.ts";
import { probeContract } from "../support/service.ts";

/** Creates what a case needs, through one door of a running service. */
export class World {
  /** Sent with the call that the case is about. */
  readonly headers: Record<string, string> = {};
  readonly #door: Door;
  constructor(door: Door) {
    this.#door = door;
  }

  async call<T>(name: string, request: object, headers?: Record<string, string>): Promise<T> {
    const outcome = await this.#door.unary(probeContract.byName.get(name)!, request, headers);
    assert(outcome.ok, `${name} works: ${JSON.stringify(outcome.ok ? "" : outcome.error)}`);
    return outcome.message as T;
  }

  async tenant(fields: object = {}): Promise<string> {
    const { id } = await this.call<{ id: string }>("TenantService.CreateTenant", { name: "acme", ...fields });
    return id;
  }

  /** A stream that is sent whole and read to its end. */
  async stream(name: string, messages: readonly object[], headers: Record<string, string>): Promise<void> {
    const outcome = await this.#door.stream!(probeContract.byName.get(name)!, messages, { headers });
    assert(outcome.ok, `${name} works: ${JSON.stringify(outcome.ok ? "" : outcome.error)}`);
  }

  async pool(fields: object = {}): Promise<string> {
    const { id } = await this.call<{ id: string }>("PoolService.CreatePool", { name: "a pool", ...fields });
    return id;
  }

  async recipient(poolId: string, fields: object = {}): Promise<string> {
    const request = { pool_id: poolId, name: "a recipient", ...fields };
    return (await this.call<{ id: string }>("RecipientService.CreateRecipient", request)).id;
  }

  async rule(poolId: string, fields: object = {}): Promise<string> {
    const action = { reject: { reason: "no" } };
    const request = { pool_id: poolId, name: "a rule", condition: "false", action, ...fields };
    return (await this.call<{ id: string }>("RuleService.CreateRule", request)).id;
  }

  async routing(poolId: string, fields: object = {}): Promise<string> {
    return (await this.call<{ id: string }>("RoutingService.Route", { pool_id: poolId, ...fields })).id;
  }

  async item(poolId: string, fields: object = {}): Promise<string> {
    const request = { pool_id: poolId, payload: { n: 1 }, ...fields };
    return (await this.call<{ item: { id: string } }>("QueueService.Enqueue", request)).item.id;
  }

  /** A pool with one recipient that holds one item. */
  async leased(pool: object = {}): Promise<{ pool_id: string; queue_item_id: string; lease_token: string }> {
    const pool_id = await this.pool(pool);
    const recipient_id = await this.recipient(pool_id);
    await this.item(pool_id);
    const { items } = await this.call<Claimed>("QueueService.Claim", { pool_id, recipient_id });
    const [leased] = items;
    assert(leased !== undefined, "the item is handed out");
    return { pool_id, queue_item_id: leased.item.id, lease_token: leased.lease_token };
  }

  async deadLetter(pool: object = {}): Promise<{ pool_id: string; queue_item_id: string }> {
    const leased = await this.leased(pool);
    await this.call("QueueService.Reject", { ...leased, error: "broken" });
    return { pool_id: leased.pool_id, queue_item_id: leased.queue_item_id };
  }
}

interface Claimed {
  items: { item: { id: string }; lease_token: string }[];
}
