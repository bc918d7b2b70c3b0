import test from "ava";
import { handleOf, isRefusal, Random } from "#base";
import { type Runtime, startRuntime, systemWorld } from "#runtime";
import { MemoryStore, openMemory } from "../../../storage/memory/index.ts";
import { testCaller } from "../../../test/support/entity.ts";
import { tenant } from "../../../test/support/pool.ts";
import { makeDirectory } from "../../directory/index.ts";
import { pools } from "../index.ts";
import { poolDirectory } from "../pool/directory.ts";

type Message = Record<string, unknown>;
interface Lease {
  readonly id: string;
  readonly token: string;
  readonly key: string;
}

const definitions = [makeDirectory([poolDirectory]), pools].flatMap((module) => module.actors);
const keys = ["a", "b", "c"];
const limit = 2;

/** What a client knows: only what was answered. What was under way in a crash may or may not have happened. */
class Client {
  readonly store = new MemoryStore();
  readonly random: Random;
  runtime!: Runtime;
  poolId = "";
  recipientId = "";
  readonly enqueued = new Map<string, string>();
  readonly completed = new Set<string>();
  /** Settlements whose answer never came. */
  readonly unknown = new Set<string>();
  readonly leases = new Map<string, Lease>();

  constructor(seed: number) {
    this.random = new Random(seed);
  }

  async start(): Promise<void> {
    this.runtime = await startRuntime({
      storage: openMemory(this.store),
      shards: Array.from({ length: 256 }, (_, shard) => shard),
      definitions,
      world: systemWorld(),
    });
  }

  async ask(kind: string, method: string, request: Message): Promise<Message> {
    const key = kind === "directory" ? "pool" : handleOf(this.poolId);
    const answer = await this.runtime.ask({
      to: { kind, tenant, key },
      method,
      request: { pool_id: this.poolId, ...request },
      caller: testCaller(tenant),
      deadlineMs: Date.now() + 20_000,
    });
    return (isRefusal(answer) ? answer : answer.response) as Message;
  }

  async step(): Promise<void> {
    const draw = this.random.float();
    if (draw < 0.45) await this.enqueue();
    else if (draw < 0.7) await this.claim();
    else await this.settle();
  }

  async enqueue(): Promise<void> {
    const key = this.random.pick(keys);
    const { item } = (await this.ask("queue", "QueueService.Enqueue", { key })) as { item: { id: string } };
    this.enqueued.set(item.id, key);
  }

  async claim(): Promise<void> {
    const { items } = (await this.ask("queue", "QueueService.Claim", {
      recipient_id: this.recipientId,
      max_items: 1 + this.random.int(3),
    })) as { items: { item: { id: string; key: string }; lease_token: string }[] };
    for (const { item, lease_token } of items) {
      if (this.leases.has(item.id)) throw new Error("two valid leases of one item");
      if (this.completed.has(item.id)) throw new Error("a completed item was handed out");
      this.leases.set(item.id, { id: item.id, token: lease_token, key: item.key });
    }
    for (const key of keys) {
      const used = [...this.leases.values()].filter((lease) => lease.key === key).length;
      if (used > limit) throw new Error(`${used} leases of ${key}, ${limit} allowed`);
    }
  }

  async settle(): Promise<void> {
    const lease = [...this.leases.values()][this.random.int(Math.max(1, this.leases.size))];
    if (!lease) return;
    const outcome = this.random.chance(0.7) ? "Complete" : "Release";
    this.leases.delete(lease.id);
    this.unknown.add(lease.id);
    const answer = await this.ask("queue", `QueueService.${outcome}`, {
      queue_item_id: lease.id,
      lease_token: lease.token,
    });
    this.unknown.delete(lease.id);
    if (isRefusal(answer)) throw new Error(`a valid token was refused: ${JSON.stringify(answer)}`);
    if (outcome === "Complete") this.completed.add(lease.id);
  }

  /** Several at once, then the process is gone: what was not answered is not known. */
  async crashInTheMiddle(): Promise<void> {
    let over = false;
    const lanes = Array.from({ length: 6 }, async () => {
      while (!over) await this.step();
    });
    await new Promise((resolve) => setTimeout(resolve, 5 + this.random.int(20)));
    over = true;
    const ended = Promise.all(lanes);
    // An answer that was lost with the crash never comes: its lane stays behind.
    ended.catch(() => {});
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, this.random.int(4)))]);
    this.runtime.stop();
  }

  async check(): Promise<string[]> {
    const problems: string[] = [];
    for (const id of this.enqueued.keys()) {
      const item = await this.ask("queue", "QueueService.GetItem", { queue_item_id: id });
      if (isRefusal(item)) problems.push(`${id} was acknowledged and is lost`);
      else if (this.completed.has(id) && item.state !== "completed")
        problems.push(`${id} is not completed any more`);
      else if (this.leases.has(id) && item.state !== "leased") problems.push(`the lease of ${id} is lost`);
    }
    return problems;
  }
}

test("crashes in the middle of everything: what was answered holds", async (t) => {
  for (const seed of [1, 2, 3]) {
    const client = new Client(seed);
    await client.start();
    const config = { lease_seconds: 3_600, admission: { concurrency: [{ key: "item.key", limit }] } };
    const pool = await client.ask("directory", "PoolService.CreatePool", {
      name: "p",
      config,
      tenantKey: "key",
    });
    client.poolId = pool.id as string;
    const recipient = await client.ask("pool", "RecipientService.CreateRecipient", { name: "r" });
    client.recipientId = recipient.id as string;
    for (let crash = 0; crash < 5; crash++) {
      await client.crashInTheMiddle();
      await client.start();
      t.deepEqual(await client.check(), [], `seed ${seed}, crash ${crash}`);
    }
    client.runtime.stop();
  }
});
