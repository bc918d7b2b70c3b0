import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "../support/eventually.ts";

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

interface Item {
  readonly id: string;
  readonly key: string;
  readonly state: string;
}

/** What clients were told, by the key of each item. */
interface Told {
  /** Ids of acknowledged enqueues; more than one id would be a repeated effect. */
  readonly ids: Set<string>;
  completed: boolean;
  rejected: boolean;
  /** Tokens of the leases that settled it; two of them would have held it at once. */
  readonly leases: Set<string>;
}

/**
 * Clients that enqueue, claim and settle through the real HTTP door while the server dies and comes back, and remember
 * every answer. Each request carries a key and is repeated with it until it is answered.
 */
export class Workload {
  readonly #server: { readonly url: string };
  readonly #told = new Map<string, Told>();
  readonly #pools: { readonly pool: string; readonly recipient: string }[] = [];
  #next = 0;
  #stopped = false;
  #clients: Promise<void>[] = [];
  acknowledged = 0;
  settled = 0;

  constructor(server: { readonly url: string }) {
    this.#server = server;
  }

  async start(clients: number): Promise<void> {
    for (const name of ["a", "b", "c"]) {
      const config = { lease_seconds: 2, max_attempts: 100, max_deliveries: 1_000 };
      const { body } = await this.#persist("/api/pools", { name, config }, `pool-${name}`);
      const pool = (body.data as { id: string }).id;
      const made = await this.#persist(`/api/pools/${pool}/recipients`, { name }, `recipient-${name}`);
      this.#pools.push({ pool, recipient: (made.body.data as { id: string }).id });
    }
    for (let client = 0; client < clients; client++)
      this.#clients.push(client % 2 === 0 ? this.#enqueue() : this.#work(client));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#clients);
  }

  /** Every broken promise, as a sentence; none is the wish. */
  async check(): Promise<string[]> {
    const found = new Map<string, Item[]>();
    for (const { pool } of this.#pools)
      for (const item of await this.#list(pool)) found.set(item.key, [...(found.get(item.key) ?? []), item]);
    const broken: string[] = [];
    for (const [key, told] of this.#told) {
      const items = found.get(key) ?? [];
      if (told.ids.size > 1) broken.push(`${key} was acknowledged with ${told.ids.size} ids`);
      if (items.length > 1) broken.push(`${key} is there ${items.length} times`);
      if (told.ids.size > 0 && !told.ids.has(items[0]?.id ?? "")) broken.push(`${key} was lost`);
      if (told.leases.size > 1) broken.push(`${key} was settled by ${told.leases.size} leases`);
      if (told.completed && items[0]?.state !== "completed")
        broken.push(`${key} was completed and is ${items[0]?.state}`);
      if (told.rejected && items[0]?.state !== "dead")
        broken.push(`${key} was rejected and is ${items[0]?.state}`);
    }
    return broken;
  }

  async #enqueue(): Promise<void> {
    while (!this.#stopped) {
      const key = `item-${this.#next++}`;
      const told: Told = { ids: new Set(), completed: false, rejected: false, leases: new Set() };
      this.#told.set(key, told);
      const { pool } = this.#pools[this.#next % this.#pools.length]!;
      const { status, body } = await this.#persist(
        `/api/queues/${pool}/items`,
        { key, payload: { key } },
        key,
      );
      if (status !== 201) throw new Error(`enqueue answered ${status}: ${JSON.stringify(body)}`);
      told.ids.add(((body.data as { item: Item }).item ?? (body.data as Item)).id);
      this.acknowledged++;
    }
  }

  async #work(client: number): Promise<void> {
    while (!this.#stopped) {
      const { pool, recipient } = this.#pools[client % this.#pools.length]!;
      const request = { recipient_id: recipient, max_items: 5, wait_seconds: 1 };
      const claimed = await this.#once(`/api/queues/${pool}/items:claim`, request);
      if (claimed?.status === 400) throw new Error(`claim answered 400: ${JSON.stringify(claimed.body)}`);
      if (claimed?.status !== 200) {
        await sleep(20);
        continue;
      }
      const { items } = claimed.body.data as { items: { item: Item; lease_token: string }[] };
      for (const { item, lease_token } of items) await this.#settle(pool, item, lease_token);
    }
  }

  /** A lease that ran out while the server was away is somebody else's: then nothing was settled. */
  async #settle(pool: string, item: Item, leaseToken: string): Promise<void> {
    const reject = item.id.endsWith("0");
    const path = `/api/queues/${pool}/items/${item.id}/${reject ? "reject" : "complete"}`;
    const answer = await this.#persist(path, { lease_token: leaseToken });
    const told = this.#told.get(item.key)!;
    if (answer.status !== 200) return;
    told.leases.add(leaseToken);
    if (reject) told.rejected = true;
    else told.completed = true;
    this.acknowledged++;
    this.settled++;
  }

  async #list(pool: string): Promise<Item[]> {
    const items: Item[] = [];
    for (let cursor = ""; ; ) {
      const page = await this.#get(`/api/queues/${pool}/items?limit=1000${cursor && `&cursor=${cursor}`}`);
      items.push(...(page.data as Item[]));
      if (!page.next_cursor) return items;
      cursor = encodeURIComponent(page.next_cursor as string);
    }
  }

  /** Again and again, until the server says yes or no. */
  #persist(path: string, body: unknown, key?: string): Promise<Answer> {
    return eventually(`an answer to ${path}`, async () => {
      const answer = await this.#once(path, body, key);
      return answer !== undefined && answer.status < 500 && answer.status !== 429 ? answer : undefined;
    });
  }

  async #once(path: string, body: unknown, key?: string): Promise<Answer | undefined> {
    try {
      const response = await fetch(this.#server.url + path, {
        method: "POST",
        headers: { "content-type": "application/json", ...(key !== undefined && { "idempotency-key": key }) },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(10_000),
      });
      return { status: response.status, body: (await response.json()) as Answer["body"] };
    } catch {
      return undefined;
    }
  }

  async #get(path: string): Promise<Record<string, unknown>> {
    const response = await fetch(this.#server.url + path);
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
    return (await response.json()) as Record<string, unknown>;
  }
}
