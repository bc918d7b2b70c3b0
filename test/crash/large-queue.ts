import type { CassandraSettings } from "#storage";
import { Session } from "../../storage/cassandra/session.ts";
import { Server } from "./server.ts";

export interface LargeQueueReport {
  readonly items: number;
  readonly partitions: number;
  /** Bytes of rows and keys of the largest partition at any measurement. */
  readonly largestBytes: number;
  readonly broken: readonly string[];
}

/**
 * Fills one queue through the real HTTP listener as fast as it accepts items, and stops the service, which stores what
 * waits. Partitions are measured during and after that, at arbitrary moments, not only when they have just been
 * divided. Then the service is started again, and the queue's list is compared with what was acknowledged.
 */
export async function fillQueue(options: {
  readonly items: number;
  readonly payloadBytes: number;
  readonly settings: readonly string[];
  readonly storage: CassandraSettings;
}): Promise<LargeQueueReport> {
  const server = new Server(options.settings);
  const session = await Session.connect(options.storage);
  try {
    await server.start();
    const made = await ask(server, "/api/pools", { name: "large" });
    const pool = (made.data as { id: string }).id;
    const acknowledged = new Set<string>();
    let largestBytes = 0;
    for (let part = 0; part < looks; part++) {
      await enqueue(server, pool, { ...options, items: Math.ceil(options.items / looks) }, acknowledged);
      largestBytes = Math.max(largestBytes, (await measure(session)).largestBytes);
    }
    await server.terminate();
    const measured = await measure(session);
    largestBytes = Math.max(largestBytes, measured.largestBytes);
    await server.start();
    const broken = await check(server, pool, acknowledged);
    return { items: acknowledged.size, partitions: measured.partitions, largestBytes, broken };
  } finally {
    await session.close();
    await server.remove();
  }
}

/** How often partitions are measured while the queue is filled: each measurement reads everything. */
const looks = 4;
const batchItems = 200;
const clients = 2;

async function enqueue(
  server: Server,
  pool: string,
  { items: count, payloadBytes }: { readonly items: number; readonly payloadBytes: number },
  acknowledged: Set<string>,
): Promise<void> {
  const payload = "x".repeat(payloadBytes);
  let left = count;
  const client = async () => {
    while (left > 0) {
      const length = Math.min(batchItems, left);
      left -= length;
      const items = Array.from({ length }, () => ({ payload }));
      const body = await ask(server, `/api/queues/${pool}/items:batch`, { items });
      for (const { item } of (body.data as { results: { item: { id: string } }[] }).results)
        acknowledged.add(item.id);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
}

/** The list must be in the order of ids and contain every acknowledged item. */
async function check(server: Server, pool: string, acknowledged: ReadonlySet<string>): Promise<string[]> {
  const broken: string[] = [];
  const found = new Set<string>();
  let last = "";
  let cursor = "";
  do {
    const page = await ask(server, `/api/queues/${pool}/items?limit=1000${cursor && `&cursor=${cursor}`}`);
    for (const { id } of page.data as { id: string }[]) {
      if (id <= last) broken.push(`${id} is listed after ${last}`);
      last = id;
      found.add(id);
    }
    cursor = encodeURIComponent((page.next_cursor as string | undefined) ?? "");
  } while (cursor !== "");
  for (const id of acknowledged) if (!found.has(id)) broken.push(`${id} was acknowledged and is not listed`);
  return broken;
}

/** Repeats a request that is refused for a while; a duplicate item does not matter here. */
async function ask(server: Server, path: string, body?: unknown): Promise<Record<string, unknown>> {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(`${server.url}${path}`, {
      ...(body === undefined
        ? {}
        : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    }).catch(() => undefined);
    if (response?.ok) return (await response.json()) as Record<string, unknown>;
    const text = await response?.text();
    if (attempt === 300 || (response !== undefined && response.status < 429))
      throw new Error(`${path} answered ${response?.status}: ${text}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** All rows in each partition, including copies that were moved away and are not deleted yet. */
export async function measure(session: Session): Promise<{ partitions: number; largestBytes: number }> {
  let partitions = 0;
  let largestBytes = 0;
  let bytes = 0;
  let name = "";
  for await (const row of session.readAll("SELECT shard, part, bucket, key, value FROM rows", [])) {
    const next = `${row.shard}/${row.bucket}/${row.part.toString("latin1")}`;
    if (next !== name) {
      name = next;
      partitions++;
      bytes = 0;
    }
    bytes += row.key.length + row.value.length;
    largestBytes = Math.max(largestBytes, bytes);
  }
  return { partitions, largestBytes };
}
