/** The real service on a disk that is really full: commands that make room are accepted, and then all are. */
import { stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import type { ExecutionContext } from "ava";
import { Server } from "../crash/server.ts";
import { eventually } from "../support/eventually.ts";
import { diskTest, fill, onSmallDisk } from "../support/small-disk.ts";

interface Answer {
  readonly status: number;
  readonly body: { data?: unknown; reason?: string; total?: number };
}

class Client {
  readonly server: Server;

  constructor(server: Server) {
    this.server = server;
  }

  async send(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(this.server.url + path, {
      method,
      ...(body !== undefined && {
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    });
    return { status: response.status, body: (await response.json()) as Answer["body"] };
  }

  async made(path: string, body: unknown): Promise<string> {
    const { status, body: answer } = await this.send("POST", path, body);
    if (status !== 201) throw new Error(`${path}: ${JSON.stringify(answer)}`);
    return (answer.data as { id: string }).id;
  }

  enqueue(pool: string, bytes: number): Promise<Answer> {
    return this.send("POST", `/api/queues/${pool}/items`, { payload: { text: "x".repeat(bytes) } });
  }

  async total(path: string): Promise<number> {
    return (await this.send("GET", `${path}?limit=1`)).body.total!;
  }

  /** A recipient, a rule and three dead letters. */
  async furnish(pool: string): Promise<{ recipient: string; rule: string }> {
    const recipient = await this.made(`/api/pools/${pool}/recipients`, { name: "r" });
    const rule = await this.made(`/api/pools/${pool}/rules`, {
      name: "u",
      condition: "item.key == 'never'",
      action: { reject: { reason: "no" } },
    });
    for (let at = 0; at < 3; at++) await this.enqueue(pool, 10);
    const claimed = await this.send("POST", `/api/queues/${pool}/items:claim`, {
      recipient_id: recipient,
      max_items: 3,
    });
    const { items } = claimed.body.data as { items: { item: { id: string }; lease_token: string }[] };
    for (const { item, lease_token } of items)
      await this.send("POST", `/api/queues/${pool}/items/${item.id}/reject`, { lease_token });
    return { recipient, rule };
  }

  /** Enqueues until the disk is full and every enqueue is refused; returns how many were acknowledged. */
  async fillQueue(pool: string): Promise<number> {
    let acknowledged = 0;
    for (let refused = 0; refused < 20; ) {
      const { status, body } = await this.enqueue(pool, 100_000);
      if (status === 201) {
        acknowledged++;
        refused = 0;
      } else if (body.reason === "STORAGE_FULL") refused++;
      else throw new Error(`${status}: ${JSON.stringify(body)}`);
    }
    return acknowledged;
  }

  async drain(pool: string, most: number): Promise<Answer> {
    return this.send("POST", `/api/queues/${pool}/drain`, { max_items: most });
  }
}

const withService =
  (body: (t: ExecutionContext, client: Client, dir: string) => Promise<void>) =>
  async (t: ExecutionContext, dir: string) => {
    t.timeout(300_000);
    const server = new Server([`storage.dir=${join(dir, "data")}`]);
    try {
      await server.start();
      await body(t, new Client(server), dir);
    } finally {
      await server.remove();
    }
  };

const works = (client: Client, pool: string) =>
  eventually("an enqueue is taken again", async () =>
    (await client.enqueue(pool, 100)).status === 201 ? true : undefined,
  );

diskTest(
  "items have filled the disk: enqueues are refused; drain, purge and delete are accepted; then enqueues are too",
  onSmallDisk(
    300,
    withService(async (t, client) => {
      const [full, other] = [
        await client.made("/api/pools", { name: "full" }),
        await client.made("/api/pools", { name: "other" }),
      ];
      const { recipient, rule } = await client.furnish(full);
      const count = await client.fillQueue(full);
      t.like(await client.enqueue(other, 100), { status: 503, body: { reason: "STORAGE_FULL" } });
      t.like(await client.send("POST", "/api/pools", { name: "more" }), { status: 503 });
      t.is(await client.total(`/api/dlq/${full}`), 3, "reads go on");

      t.like(await client.drain(full, 5), { status: 200, body: { data: { drained: 5 } } });
      t.like(await client.send("POST", `/api/dlq/${full}/purge`, {}), {
        status: 200,
        body: { data: { purged: 3 } },
      });
      t.like(await client.send("DELETE", `/api/recipients/${recipient}`), { status: 200 });
      t.like(await client.send("DELETE", `/api/rules/${rule}`), { status: 200 });

      // Killed while the reserve is in use: what was acknowledged is stored, and more room can still be made.
      await client.server.kill();
      await client.server.start();
      t.is(await client.total(`/api/queues/${full}/items`), count);
      t.is(await client.total(`/api/dlq/${full}`), 0);
      t.like(await client.send("GET", `/api/recipients/${recipient}`), { status: 404 });
      t.like(await client.drain(full, 5), { status: 200, body: { data: { drained: 5 } } });
      t.like(await client.send("DELETE", `/api/pools/${full}?force=true`), { status: 200 });
      await works(client, other);
      await client.server.kill();
      await client.server.start();
      t.like(await client.send("GET", `/api/pools/${full}`), { status: 404 });
      t.is(await client.total(`/api/queues/${other}/items`), 1);
      await eventually("the directory is told", async () =>
        (await client.total("/api/pools")) === 1 ? true : undefined,
      );
    }),
  ),
);

diskTest(
  "another program has filled the disk: all items are drained, and enqueues are accepted when the retention is over",
  onSmallDisk(
    300,
    withService(async (t, client, dir) => {
      const [full, other] = [
        await client.made("/api/pools", { name: "full", config: { retention_seconds: 1 } }),
        await client.made("/api/pools", { name: "other" }),
      ];
      await client.furnish(full);
      for (let at = 0; at < 600; at++) t.is((await client.enqueue(full, 100_000)).status, 201);
      await eventually("the reserve is made", () => reserveOf(dir));
      const ballast = await fill(dir);
      const more = await client.fillQueue(full);
      t.like(await client.drain(full, 10_000), { status: 200, body: { data: { drained: 600 + more } } });
      t.like(await client.send("POST", `/api/dlq/${full}/purge`, {}), { body: { data: { purged: 3 } } });
      await works(client, other);
      t.is(await client.total(`/api/queues/${full}/items`), 0);
      t.like(await client.send("DELETE", `/api/pools/${full}`), { status: 200 });
      await truncate(ballast, 0);
      await works(client, other);
      await eventually("the reserve is made again", () => reserveOf(dir));
    }),
  ),
);

async function reserveOf(dir: string): Promise<true | undefined> {
  const found = await stat(join(dir, "data", "reserve")).catch(() => undefined);
  return found && found.size >= 8 * 1_024 * 1_024 ? true : undefined;
}
