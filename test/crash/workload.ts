import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "../support/eventually.ts";
import { History, type HistoryOptions, type Span, type StoredItem } from "./history.ts";

interface Answer extends Span {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

const leaseSeconds = 2;
/** Time between two writes, and between two reads, of a register. */
const registerMs = 50;

/**
 * Clients that enqueue, claim and settle, and write and read registers, through the real HTTP listener while the server
 * is killed and restarted. They record every answer. Each change carries an idempotency key and is repeated with it
 * until it is answered.
 */
export class Workload {
  readonly #server: { readonly url: string };
  readonly #history: History;
  readonly #pools: { readonly pool: string; readonly recipient: string }[] = [];
  #next = 0;
  #stopped = false;
  #clients: Promise<void>[] = [];
  acknowledged = 0;
  settled = 0;

  /** `hasRightClocks`: the server's clock may be compared with ours. */
  constructor(server: { readonly url: string }, { hasRightClocks = true } = {}) {
    this.#server = server;
    const options: HistoryOptions = { leaseMs: hasRightClocks ? leaseSeconds * 1_000 : undefined };
    this.#history = new History(options);
  }

  async start(clients: number): Promise<void> {
    for (const name of ["a", "b", "c"]) {
      const config = { lease_seconds: leaseSeconds, max_attempts: 100, max_deliveries: 1_000 };
      const { body } = await this.#persist("/api/pools", { name, config }, `pool-${name}`);
      const pool = (body.data as { id: string }).id;
      const made = await this.#persist(`/api/pools/${pool}/recipients`, { name }, `recipient-${name}`);
      this.#pools.push({ pool, recipient: (made.body.data as { id: string }).id });
    }
    for (let client = 0; client < clients; client++)
      this.#clients.push(client % 2 === 0 ? this.#enqueue(client) : this.#work(client));
    for (const { pool } of this.#pools) this.#clients.push(this.#write(pool), this.#read(pool));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#clients);
  }

  /** Every broken promise as a sentence; an empty list is a success. */
  async check(): Promise<string[]> {
    const stored: StoredItem[] = [];
    for (const { pool } of this.#pools) {
      const items = await eventually("the items", () => this.#list(pool).catch(() => undefined));
      stored.push(...items);
      await eventually("the register", () => this.#readOnce(pool).then(isDone, () => undefined));
    }
    return this.#history.check(stored);
  }

  async #enqueue(client: number): Promise<void> {
    while (!this.#stopped) {
      const key = `item-${this.#next++}`;
      const { pool } = this.#pools[this.#next % this.#pools.length]!;
      this.#history.enqueues(key, pool, client);
      const { status, body } = await this.#persist(
        `/api/queues/${pool}/items`,
        { key, payload: { key } },
        key,
      );
      if (status !== 201) throw new Error(`enqueue answered ${status}: ${JSON.stringify(body)}`);
      this.#history.enqueued(key, ((body.data as { item: StoredItem }).item ?? (body.data as StoredItem)).id);
      this.acknowledged++;
    }
  }

  /** The description of a pool serves as a register that counts. */
  async #write(pool: string): Promise<void> {
    for (let value = 1; !this.#stopped; value++) {
      const beganMs = performance.now();
      this.#history.writes(pool, value, beganMs);
      const change = { description: String(value) };
      const answer = await this.#persist(`/api/pools/${pool}`, change, `${pool}-${value}`, "PATCH");
      if (answer.status !== 200)
        throw new Error(`a change of a pool answered ${answer.status}: ${JSON.stringify(answer.body)}`);
      this.#history.written(pool, { value, beganMs, endedMs: answer.endedMs });
      this.acknowledged++;
      await sleep(registerMs);
    }
  }

  async #read(pool: string): Promise<void> {
    while (!this.#stopped) {
      await this.#readOnce(pool).catch(() => undefined);
      await sleep(registerMs);
    }
  }

  async #readOnce(pool: string): Promise<void> {
    const beganMs = performance.now();
    const { data } = await this.#get(`/api/pools/${pool}`);
    const value = Number((data as { description?: string }).description || 0);
    this.#history.read(pool, { value, beganMs, endedMs: performance.now() });
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
      const { items } = claimed.body.data as { items: { item: StoredItem; lease_token: string }[] };
      const { beganMs, endedMs } = claimed;
      for (const { item, lease_token: token } of items)
        this.#history.leased(item.id, { token, beganMs, endedMs });
      for (const { item, lease_token } of items) await this.#settle(pool, item, lease_token);
    }
  }

  /** A lease that ended while the server was down may belong to another worker by now: then nothing was settled. */
  async #settle(pool: string, item: StoredItem, token: string): Promise<void> {
    const reject = item.id.endsWith("0");
    const path = `/api/queues/${pool}/items/${item.id}/${reject ? "reject" : "complete"}`;
    const { status, beganMs, endedMs } = await this.#persist(path, { lease_token: token });
    if (status !== 200) return;
    this.#history.settled(item.id, { token, state: reject ? "dead" : "completed", beganMs, endedMs });
    this.acknowledged++;
    this.settled++;
  }

  async #list(pool: string): Promise<StoredItem[]> {
    const items: StoredItem[] = [];
    for (let cursor = ""; ; ) {
      const page = await this.#get(`/api/queues/${pool}/items?limit=1000${cursor && `&cursor=${cursor}`}`);
      items.push(...(page.data as StoredItem[]));
      if (!page.next_cursor) return items;
      cursor = encodeURIComponent(page.next_cursor as string);
    }
  }

  /** Repeats until the server accepts or refuses. */
  #persist(path: string, body: unknown, key?: string, method = "POST"): Promise<Answer> {
    return eventually(`an answer to ${path}`, async () => {
      const answer = await this.#once(path, body, key, method);
      return answer !== undefined && answer.status < 500 && answer.status !== 429 ? answer : undefined;
    });
  }

  async #once(path: string, body: unknown, key?: string, method = "POST"): Promise<Answer | undefined> {
    const beganMs = performance.now();
    try {
      const response = await fetch(this.#server.url + path, {
        method,
        headers: { "content-type": "application/json", ...(key !== undefined && { "idempotency-key": key }) },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(10_000),
      });
      const answer = (await response.json()) as Answer["body"];
      return { status: response.status, body: answer, beganMs, endedMs: performance.now() };
    } catch {
      return undefined;
    }
  }

  async #get(path: string): Promise<Record<string, unknown>> {
    const response = await fetch(this.#server.url + path, { signal: AbortSignal.timeout(10_000) });
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
    return (await response.json()) as Record<string, unknown>;
  }
}

function isDone(): true {
  return true;
}
