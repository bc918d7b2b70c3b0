import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import test, { type ExecutionContext } from "ava";
import { limits } from "#base";
import { Session } from "../../storage/cassandra/session.ts";
import { eventually } from "../support/eventually.ts";
import { needing } from "../support/needing.ts";
import { startCassandra } from "./cassandra.ts";
import { measure } from "./large-queue.ts";
import { Server } from "./server.ts";

const root = path.resolve(import.meta.dirname, "../..");
const onCassandra = needing(test, "cassandra");

/** Some of the two million that `npm run chaos -- --items 2000000` fills, in partitions of 64 MiB. */
const largeItems = Number(process.env.LARGE_QUEUE_ITEMS ?? 30_000);
/** In proportion to 64 MiB for two million items, but not below the smallest allowed setting. */
const partitionBytes = Math.max(
  1_024 ** 2,
  Math.floor((limits.cassandraBucketBytesMax * largeItems) / 2_000_000),
);
/** In proportion to 256 MB for partitions of 64 MiB. */
const partitionBytesMax = partitionBytes * (256e6 / limits.cassandraBucketBytesMax);

/** The steps of an operator, as docs/operations.md describes them. */
interface Store {
  readonly settings: readonly string[];
  readonly items: number;
  /** Called while the service is stopped. */
  backUp(): Promise<void>;
  /** Called while the service is stopped. What was stored after the backup is lost. */
  restore(): Promise<void>;
}

test("embedded: a copy of the folder is restored and verified, and has exactly what was acknowledged before the copy", async (t) => {
  const folder = temporary(t);
  const [dir, backup] = [path.join(folder, "data"), path.join(folder, "backup")];
  await tryRestore(t, {
    settings: [`storage.dir=${dir}`],
    items: 400,
    backUp: async () => cpSync(dir, backup, { recursive: true }),
    async restore() {
      rmSync(dir, { recursive: true });
      cpSync(backup, dir, { recursive: true });
    },
  });
});

onCassandra(
  "Cassandra: a queue is filled at full speed with 1 KB items, and no partition exceeds four times its size (256 MB in production); a restored snapshot has exactly what was acknowledged",
  async (t) => {
    const cassandra = await startCassandra({ nodetool: true });
    t.teardown(() => cassandra.stop());
    const { host } = cassandra;
    const session = await Session.connect(cassandra.storage);
    t.teardown(() => session.close());
    const backup = temporary(t);
    const tables = path.join(host.folder, "data", "crash");
    await tryRestore(t, {
      settings: [...cassandra.settings, `storage.cassandra.partition_size=${partitionBytes}`],
      items: largeItems,
      async backUp() {
        const { partitions, largestBytes } = await measure(session);
        t.log(`${largeItems} items, ${partitions} partitions, the largest ${largestBytes} bytes`);
        t.true(largestBytes <= partitionBytesMax, `${largestBytes} bytes`);
        host.nodetool("snapshot", "--tag", "backup", "crash");
        for (const table of readdirSync(tables)) {
          const snapshot = path.join(tables, table, "snapshots", "backup");
          // A table without rows has no snapshot.
          if (existsSync(snapshot)) cpSync(snapshot, path.join(backup, table), { recursive: true });
        }
      },
      async restore() {
        await host.kill();
        // Removes what came after the snapshot: rows, commit logs that would write them again, and Paxos state about
        // them.
        rmSync(path.join(host.folder, "commitlog"), { recursive: true });
        const system = path.join(host.folder, "data", "system");
        for (const table of readdirSync(system))
          if (table.startsWith("paxos-")) rmSync(path.join(system, table), { recursive: true });
        rmSync(tables, { recursive: true });
        mkdirSync(tables);
        cpSync(backup, tables, { recursive: true });
        await host.start();
      },
    });
  },
);

async function tryRestore(t: ExecutionContext, store: Store): Promise<void> {
  t.timeout(1_200_000);
  const server = new Server([...store.settings, "server.stuck_after=10m", "server.shutdown_grace=4m"]);
  t.teardown(() => server.remove());
  await server.start();
  const pool = ((await post(server, "/api/pools", { name: "kept" }, "pool")).data as { id: string }).id;
  const enqueue = async (prefix: string, count: number) => {
    const batch = (at: number) => {
      const length = Math.min(batchItems, count - at);
      const items = Array.from({ length }, () => ({ payload: "x".repeat(1_000) }));
      return post(server, `/api/queues/${pool}/items:batch`, { items }, `${prefix}-${at}`);
    };
    for (let at = 0; at < count; at += 2 * batchItems)
      await Promise.all([at, at + batchItems].filter((one) => one < count).map(batch));
  };
  await enqueue("before", store.items);
  const before = await list(server, pool);
  t.is(before.length, store.items);
  t.deepEqual(before, before.toSorted());
  t.is(await server.terminate(), 0);
  await store.backUp();
  await server.start();
  await enqueue("after", batchItems);
  await server.kill();

  await store.restore();
  const set = store.settings.flatMap((setting) => ["--set", setting]);
  const verify = ["dist/cli/service.js", "data", "verify", ...set];
  t.log(execFileSync(process.execPath, verify, { cwd: root, encoding: "utf8" }).trim().split("\n").at(-1));
  await server.start();
  t.deepEqual(await list(server, pool), before);
  await enqueue("again", batchItems);
  t.is((await list(server, pool)).length, before.length + batchItems);
}

const batchItems = 200;

async function list(server: Server, pool: string): Promise<string[]> {
  const found: string[] = [];
  for (let cursor = ""; ; ) {
    const answer = await fetch(
      `${server.url}/api/queues/${pool}/items?limit=1000${cursor && `&cursor=${cursor}`}`,
    );
    const page = (await answer.json()) as { data: { id: string }[]; next_cursor?: string };
    found.push(...page.data.map(({ id }) => id));
    if (!page.next_cursor) return found;
    cursor = encodeURIComponent(page.next_cursor);
  }
}

async function post(server: Server, path: string, body: unknown, key: string) {
  return await eventually(`an answer to ${path}`, async () => {
    const answer = await fetch(`${server.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": key },
      body: JSON.stringify(body),
    });
    if (answer.status === 503 || answer.status === 429 || answer.status === 504) return undefined;
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Record<string, unknown>;
  });
}

function temporary(t: ExecutionContext): string {
  const folder = mkdtempSync(path.join(tmpdir(), "switchyard-restore-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
