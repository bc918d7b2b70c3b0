import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import test, { type ExecutionContext } from "ava";
import { Session } from "../../storage/cassandra/session.ts";
import { startCassandra } from "../crash/cassandra.ts";
import { Server } from "../crash/server.ts";
import { eventually } from "../support/eventually.ts";
import { needing } from "../support/needing.ts";

const onCassandra = needing(test.serial, "cassandra");
const trace = "4bf92f3577b34da6a3ce929d0e0e4736";

onCassandra(
  "a node of the older format runs beside an upgraded one: the new format is used only after it has left, and then keeps it out",
  async (t) => {
    t.timeout(1_200_000);
    const cassandra = await startCassandra();
    t.teardown(() => cassandra.stop());
    const session = await Session.connect(cassandra.storage);
    t.teardown(() => session.close());
    const format = async () =>
      (await session.client.execute("SELECT value FROM crash.meta WHERE name = 'format'")).first()?.value;
    const divided = async () =>
      (
        await session.client.execute(
          "SELECT first_seq FROM crash.journal WHERE first_seq = -1 ALLOW FILTERING",
        )
      ).rowLength > 0;
    // As a keyspace that the version before has created.
    await session.client.execute("UPDATE crash.meta SET value = '1' WHERE name = 'format' IF value = '3'");
    const collector = await startCollector(t);
    const settings = [
      ...cassandra.settings,
      "storage.cassandra.partition_size=1MiB",
      // Generous: on a busy machine a thread may not run for long, and a hand-over takes its time.
      "server.stuck_after=10m",
      "server.shutdown_grace=4m",
      `telemetry.otlp_endpoint=${collector.endpoint}`,
    ];
    const newer = new Server([
      ...settings,
      "cluster.node_id=newer",
      "cluster.zone=east",
      "cluster.format_max=2",
    ]);
    const older = new Server([...settings, "cluster.node_id=older", "cluster.format_max=1"]);
    t.teardown(() => Promise.all([newer.remove(), older.remove()]));
    await older.start();
    await newer.start();
    const pool = ((await post(newer, "/api/pools", { name: "large" })).data as { id: string }).id;
    let items = 0;
    const enqueue = async (server: Server) => {
      const body = { items: Array.from({ length: 200 }, () => ({ payload: "x".repeat(1_000) })) };
      items += 200;
      await post(server, `/api/queues/${pool}/items:batch`, body, `items-${items}`);
    };
    for (let i = 0; i < 10; i++) await enqueue(i % 2 === 0 ? older : newer);
    t.is(await format(), "1");
    t.false(await divided(), "an older node could not read it");

    const status = cli(newer, "cluster", "status");
    t.regex(status, /newer +east +member +\d+ +\d+ +\d+ +\d+–\d+ +\d+ /);
    t.regex(status, /older +- +member +\d+ +\d+ +\d+ +\d+–\d+ +\d+ /);
    const page = await (await fetch(`${newer.url}/metrics`)).text();
    t.regex(page, /\nservice_cluster_nodes\{state="member"\} 2\n/);
    t.regex(page, /\nservice_link_received_bytes_total\{node="older"\} [1-9]/);
    t.regex(page, /\nservice_cluster_heartbeat_age_seconds \d/);
    await eventually("a node that served a call of the other node has reported it to the collector", () => {
      const spans = collector.spans();
      const owned = spans.find((span) => span.name.endsWith("(owner)"));
      return spans.find(({ spanId }) => owned !== undefined && spanId === owned.parentSpanId);
    });

    t.is(await older.terminate(), 0);
    await eventually("the format is raised", async () => ((await format()) === "2" ? true : undefined));
    await eventually("the queue is divided", async () => {
      await enqueue(newer);
      return (await divided()) || undefined;
    });
    const refused = await t.throwsAsync(older.start());
    t.regex(refused?.message ?? "", /format 2, this program knows 1/);
    t.is(await count(newer, pool), items);
  },
);

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
}

/** A trace collector. */
async function startCollector(t: ExecutionContext) {
  const found: Span[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as {
        resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
      };
      for (const { scopeSpans } of body.resourceSpans)
        for (const { spans } of scopeSpans) found.push(...spans);
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`;
  return { endpoint, spans: () => found.filter(({ traceId }) => traceId === trace) };
}

async function post(server: Server, path: string, body: unknown, key?: string) {
  return await eventually(`an answer to ${path}`, async () => {
    const answer = await fetch(`${server.url}${path}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        traceparent: `00-${trace}-00f067aa0ba902b7-01`,
        ...(key !== undefined && { "idempotency-key": key }),
      },
      body: JSON.stringify(body),
    });
    // A shard may be moving, or too many requests wait for the store.
    if (answer.status === 503 || answer.status === 429 || answer.status === 504) return undefined;
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Record<string, unknown>;
  });
}

function cli(server: Server, ...args: string[]): string {
  const root = path.resolve(import.meta.dirname, "../..");
  const all = ["dist/cli/service.js", ...args, "--addr", `127.0.0.1:${server.ports.internal}`];
  const { stdout, stderr } = spawnSync(process.execPath, all, { cwd: root, encoding: "utf8" });
  return stdout + stderr;
}

async function count(server: Server, pool: string): Promise<number> {
  let found = 0;
  for (let cursor = ""; ; ) {
    const answer = await fetch(
      `${server.url}/api/queues/${pool}/items?limit=1000${cursor && `&cursor=${cursor}`}`,
    );
    const page = (await answer.json()) as { data: unknown[]; next_cursor?: string };
    found += page.data.length;
    if (!page.next_cursor) return found;
    cursor = encodeURIComponent(page.next_cursor);
  }
}
