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
    /** How many pools are stored in each version of their row. */
    const stored = async () => {
      const { rows } = await session.client.execute("SELECT part, value FROM crash.rows", [], {
        fetchSize: 100_000,
      });
      const versions: Record<number, number> = {};
      for (const { part, value } of rows as unknown as { part: Buffer; value: Buffer }[]) {
        const name = part.toString("latin1");
        if (name.startsWith("\x02pool\0") && name.endsWith("\x02pool\0"))
          versions[value[0]!] = (versions[value[0]!] ?? 0) + 1;
      }
      return versions;
    };
    const collector = await startCollector(t);
    const settings = [
      ...cassandra.settings,
      // Generous: on a busy machine a thread may not run for long, and a hand-over takes its time.
      "server.stuck_after=10m",
      "server.shutdown_grace=4m",
      `telemetry.otlp_endpoint=${collector.endpoint}`,
    ];
    const newer = new Server([...settings, "cluster.node_id=newer", "cluster.zone=east"], false, {
      NODE_OPTIONS: `--import=${new URL("./next-format.mjs", import.meta.url).href}`,
    });
    const older = new Server([...settings, "cluster.node_id=older"]);
    t.teardown(() => Promise.all([newer.remove(), older.remove()]));
    await older.start();
    await newer.start();
    const pools: string[] = [];
    const create = async (server: Server) => {
      const body = { name: `pool ${pools.length}` };
      const { data } = await post(server, "/api/pools", body, `pool-${pools.length}`);
      pools.push((data as { id: string }).id);
    };
    for (let i = 0; i < 20; i++) await create(i % 2 === 0 ? older : newer);
    await eventually("the pools are in the tables", async () => (await stored())[1] === 20 || undefined);
    t.deepEqual(await stored(), { 1: 20 }, "an older node could not read another version");
    t.is(await format(), "1");
    for (const server of [older, newer]) t.deepEqual(await read(server, pools), pools);

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
    await eventually("a pool is stored in the second version", async () => {
      await create(newer);
      return (await stored())[2] !== undefined || undefined;
    });
    t.true((await stored())[1]! >= 20, "rows that did not change stay as they are");
    const refused = await t.throwsAsync(older.start());
    t.regex(refused?.message ?? "", /format 2, this program knows 1/);
    t.deepEqual(await read(newer, pools), pools);
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

/** The ids that the pools answer with. */
async function read(server: Server, pools: readonly string[]): Promise<unknown[]> {
  const ids: unknown[] = [];
  for (const id of pools)
    ids.push(
      await eventually(`pool ${id} answers`, async () => {
        const answer = await fetch(`${server.url}/api/pools/${id}`);
        // Its shard may be moving.
        if (answer.status === 503 || answer.status === 504) return undefined;
        return ((await answer.json()) as { data?: { id?: string } }).data?.id ?? answer.status;
      }),
    );
  return ids;
}
