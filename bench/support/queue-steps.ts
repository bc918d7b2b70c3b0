import { handleOf, isRefusal, limits } from "#base";
import { type Runtime, startRuntime, systemWorld } from "#runtime";
import { attachStorage, openMemory, type Storage, startStorage } from "#storage";
import { modules } from "../../test/support/module-parts.ts";
import type { Stats } from "./bench.ts";
import { inFolder } from "./folder.ts";

const tenant = "bench";
const payload = "x".repeat(100);
const customers = 10_000;
const caller = {
  tenant,
  subject: "bench",
  owner: "bench",
  principalKind: "user",
  requestId: "bench",
  environmentMode: "any",
  platform: false,
} as const;
const steps = ["enqueue", "claim", "complete"] as const;

interface Leased {
  readonly item: { readonly id: string };
  readonly lease_token: string;
}

/** Processor time of this process per item and step, `lanes` rounds of `size` items in flight, on one queue in one thread. */
export function queueSteps(
  engine: "memory" | "embedded",
  size: number,
  lanes: number,
  config: object = {},
): Promise<Stats> {
  const items = Number(process.env.BENCH_ITEMS ?? 30_000);
  return inFolder(async (dir) => {
    const host = engine === "embedded" ? await startStorage({ engine, dir }) : undefined;
    const storage = host ? await attachStorage(host.bootstrap(0).data) : openMemory();
    const queue = await QueueSteps.open(storage, config);
    await queue.run(size, lanes, items / 3);
    const spent = await queue.run(size, lanes, items);
    await queue.close();
    await storage.close();
    await host?.close();
    return spent;
  });
}

class QueueSteps {
  readonly #runtime: Runtime;
  #poolId = "";
  #recipientId = "";
  #made = 0;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  static async open(storage: Storage, config: object): Promise<QueueSteps> {
    const depth = {
      mailboxDepthMax: 100_000,
      tenantMailboxDepthMax: 100_000,
      threadMailboxDepthMax: 100_000,
    };
    const runtime = await startRuntime({
      storage,
      shards: Array.from({ length: limits.shardCount }, (_, shard) => shard),
      definitions: modules.flatMap((module) => module.actors),
      world: systemWorld(),
      limits: depth,
    });
    const queue = new QueueSteps(runtime);
    const pool = await queue.#ask<{ id: string }>("directory", "PoolService.CreatePool", {
      name: "bench",
      strategy: "weighted_random",
      config,
      tenantKey: "key",
    });
    queue.#poolId = pool.id;
    const recipient = await queue.#ask<{ id: string }>("pool", "RecipientService.CreateRecipient", {
      name: "r",
    });
    queue.#recipientId = recipient.id;
    return queue;
  }

  /** One step after the other, so that each has its own figure. */
  async run(size: number, lanes: number, items: number): Promise<Stats> {
    const spent: Record<string, number> = {};
    const rounds = Math.ceil(items / (size * lanes));
    for (let round = 0; round < rounds; round++) {
      let leased: Leased[][] = [];
      for (const step of steps) {
        const before = process.cpuUsage();
        const answers = await Promise.all(
          Array.from({ length: lanes }, (_, lane) => this.#step(step, size, leased[lane] ?? [])),
        );
        const { user, system } = process.cpuUsage(before);
        spent[`${step}_us`] = (spent[`${step}_us`] ?? 0) + user + system;
        if (step === "claim") leased = answers as Leased[][];
      }
    }
    for (const name in spent) spent[name]! /= rounds * lanes * size;
    spent.life_cycle_us = Object.values(spent).reduce((sum, us) => sum + us, 0);
    return spent;
  }

  async close(): Promise<void> {
    await this.#runtime.drain();
    this.#runtime.stop();
  }

  async #step(
    step: (typeof steps)[number],
    size: number,
    leased: readonly Leased[],
  ): Promise<readonly Leased[]> {
    switch (step) {
      case "enqueue":
        if (size === 1) await this.#ask("queue", "QueueService.Enqueue", this.#newItem());
        else
          await this.#ask("queue", "QueueService.EnqueueBatch", {
            items: Array.from({ length: size }, () => this.#newItem()),
          });
        return [];
      case "claim": {
        const request = { recipient_id: this.#recipientId, max_items: size, wait_seconds: 5 };
        const { items } = await this.#ask<{ items: Leased[] }>("queue", "QueueService.Claim", request);
        return items;
      }
      case "complete": {
        const settlements = leased.map(({ item, lease_token }) => ({ queue_item_id: item.id, lease_token }));
        if (size === 1) await this.#ask("queue", "QueueService.Complete", settlements[0]!);
        else
          await this.#ask("queue", "QueueService.SettleBatch", {
            settlements: settlements.map((settlement) => ({ ...settlement, outcome: "complete" })),
          });
        return [];
      }
    }
  }

  #newItem(): object {
    return { payload, attributes: { customer: `customer-${this.#made++ % customers}` } };
  }

  async #ask<Response>(kind: string, method: string, request: object): Promise<Response> {
    const answer = await this.#runtime.ask({
      to: { kind, tenant, key: kind === "directory" ? "pool" : handleOf(this.#poolId) },
      method,
      request: this.#poolId ? { pool_id: this.#poolId, ...request } : request,
      caller,
      deadlineMs: Date.now() + 60_000,
    });
    if (isRefusal(answer)) throw new Error(`${method}: ${JSON.stringify(answer)}`);
    return answer.response as Response;
  }
}
