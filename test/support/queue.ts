import { handleOf, isRefusal, type Refusal } from "#base";
import type { Address, StoredRow } from "#runtime";
import { makeDirectory } from "../../actors/directory/index.ts";
import { meterActor } from "../../actors/health/meter/service.ts";
import { pools } from "../../actors/pools/index.ts";
import type { State } from "../../actors/pools/queue/state.ts";
import { EntityDriver } from "./entity.ts";
import { tenant } from "./pool.ts";

type Message = Record<string, unknown>;

export interface LeasedItem {
  readonly item: Message & { id: string; key: string; deliveries: number };
  readonly lease_token: string;
  readonly lease_expires_at: string;
}

/** One pool with its queue on the synchronous driver. */
export class QueueBench {
  readonly driver = new EntityDriver([
    ...makeDirectory(pools.directories!).actors,
    ...pools.actors,
    meterActor,
  ]);
  readonly poolId: string;
  readonly recipientIds: readonly string[];

  constructor(config: Message = {}, recipients: readonly Message[] = [{}], strategy = "weighted_random") {
    const to = { kind: "directory", tenant, key: "pool" };
    const pool = this.driver.ask(to, "PoolService.CreatePool", {
      ...{ name: "p", config, strategy, tenantKey: "key" },
    }) as Message;
    if (isRefusal(pool)) throw new Error(`no pool: ${JSON.stringify(pool)}`);
    this.poolId = pool.id as string;
    this.recipientIds = recipients.map((recipient, index) => {
      this.driver.now += 1;
      const made = this.pool("RecipientService.CreateRecipient", { name: `r${index}`, ...recipient });
      if (isRefusal(made)) throw new Error(`no recipient: ${JSON.stringify(made)}`);
      return made.id as string;
    });
  }

  at(kind: "pool" | "router" | "queue" | "watch"): Address {
    return { kind, tenant, key: handleOf(this.poolId) };
  }

  pool(method: string, request: Message = {}): Message {
    return this.driver.ask(this.at("pool"), method, { pool_id: this.poolId, ...request }) as Message;
  }

  ask(method: string, request: Message = {}, later?: (answer: unknown) => void): Message {
    const options = later ? { later } : {};
    return this.driver.ask(
      this.at("queue"),
      method,
      { pool_id: this.poolId, ...request },
      options,
    ) as Message;
  }

  enqueue(request: Message = {}): { item: Message & { id: string }; admission: Message } {
    const answer = this.ask("QueueService.Enqueue", request);
    if (isRefusal(answer)) throw new Error(`not enqueued: ${JSON.stringify(answer)}`);
    return answer as never;
  }

  /** Returns refusals instead of throwing them. */
  tryEnqueue(request: Message = {}): Message | Refusal {
    return this.ask("QueueService.Enqueue", request);
  }

  claim(maxItems = 1, request: Message = {}): LeasedItem[] {
    const answer = this.ask("QueueService.Claim", {
      recipient_id: this.recipientIds[0],
      max_items: maxItems,
      ...request,
    });
    if (isRefusal(answer)) throw new Error(`not claimed: ${JSON.stringify(answer)}`);
    return answer.items as LeasedItem[];
  }

  /** A claim that waits; its answer arrives later. */
  poll(maxItems: number, later: (items: LeasedItem[]) => void, request: Message = {}): void {
    const answer = this.ask(
      "QueueService.Claim",
      { recipient_id: this.recipientIds[0], max_items: maxItems, wait_seconds: 30, ...request },
      (late) => later((late as { items: LeasedItem[] }).items),
    );
    if ((answer as unknown) !== "parked") later((answer as { items: LeasedItem[] }).items);
  }

  settle(outcome: string, leased: LeasedItem, more: Message = {}): Message {
    const method = `QueueService.${outcome[0]!.toUpperCase()}${outcome.slice(1)}`;
    return this.ask(method, { queue_item_id: leased.item.id, lease_token: leased.lease_token, ...more });
  }

  get(id: string): Message {
    return this.ask("QueueService.GetItem", { queue_item_id: id });
  }

  status(): Message & { by_state: Record<string, number> } {
    return this.ask("QueueControlService.GetQueueStatus") as never;
  }

  get state(): State {
    return this.driver.state<State>(this.at("queue"));
  }

  rows(collection: string): number {
    return this.driver.rows(this.at("queue"), collection).size;
  }

  stored(collection: string): readonly StoredRow[] {
    const rows = this.driver.rows(this.at("queue"), collection);
    return rows.scan({ collection, limit: Number.MAX_SAFE_INTEGER });
  }
}
