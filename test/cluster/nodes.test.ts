import { spawnSync } from "node:child_process";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import test, { type ExecutionContext } from "ava";
import { startCassandra } from "../crash/cassandra.ts";
import { Server } from "../crash/server.ts";
import { certify } from "../support/certify.ts";
import { eventually } from "../support/eventually.ts";
import { needing } from "../support/needing.ts";
import { openStream } from "../support/open-stream.ts";

const onCassandra = needing(test.serial, "cassandra");

onCassandra(
  "three processes on one keyspace: any answers for all, one is killed, one is told to stop",
  async (t) => {
    t.timeout(600_000);
    const cassandra = await startCassandra();
    t.teardown(() => cassandra.stop());
    const [a, b, c] = ["a", "b", "c"].map(
      (id) => new Server([...cassandra.settings, `cluster.node_id=${id}`, `cluster.zone=zone-${id}`]),
    ) as [Server, Server, Server];
    t.teardown(() => Promise.all([a, b, c].map((node) => node.remove())));
    for (const node of [a, b, c]) await node.start();
    await settled(c, ["a", "b", "c"]);

    // Every shard has one owner, all nodes have some, and each node tells the same of it.
    const owners = new Map<number, string>();
    for (const { number, node_id } of await shards(a)) owners.set(number, node_id ?? "");
    t.deepEqual([...new Set(owners.values())].sort(), ["a", "b", "c"]);
    t.deepEqual(new Map((await shards(b)).map(({ number, node_id }) => [number, node_id ?? ""])), owners);
    t.regex(cli(a, "cluster", "status"), /zone-b .*member/);

    const pools: string[] = [];
    for (let index = 0; index < 12; index++) {
      const [writer, reader] = index % 2 === 0 ? [a, b] : [b, c];
      const made = await post(writer, "/api/pools", { name: `pool-${index}` });
      t.is(made.status, 201, JSON.stringify(made.body));
      const { id } = made.body.data as { id: string };
      pools.push(id);
      t.is((await fetch(`${reader.url}/api/pools/${id}`)).status, 200);
      t.is((await post(reader, `/api/queues/${id}/items`, { payload: { index } })).status, 201);
    }

    // Within a slot every node has the same health report; a slot may end between two answers.
    await eventually("all nodes have one report", async () => {
      const asked = [a, b, c, a, b, c].map(async (node) => {
        const answer = await fetch(`${node.url}/api/operational-health/report`);
        return ((await answer.json()) as { data: { report_id: string } }).data.report_id;
      });
      return new Set(await Promise.all(asked)).size === 1 || undefined;
    });

    // A long poll on one node is answered by an item that comes in on another.
    const [pool] = pools as [string];
    const recipient = await post(a, `/api/pools/${pool}/recipients`, { name: "r" });
    const claim = {
      recipient_id: (recipient.body.data as { id: string }).id,
      max_items: 10,
      wait_seconds: 20,
    };
    t.is((await post(a, `/api/queues/${pool}/items:claim`, claim)).status, 200);
    const waiting = post(b, `/api/queues/${pool}/items:claim`, claim);
    await sleep(200);
    t.is((await post(c, `/api/queues/${pool}/items`, { payload: {} })).status, 201);
    const claimed = (await waiting).body.data as { items: unknown[] };
    t.is(claimed.items.length, 1);

    // Streams on any node serve pools that any node owns, and a subscriber hears of all of them.
    const heard = await subscribe(t, a);
    for (const id of pools) await streamed(t, c, id);
    const told = () => pools.every((id) => heard().includes(id)) || undefined;
    await eventually("events of all pools have come", told);

    // The owner of a third of the pools is gone: callers of the others wait until a new one has them.
    await a.kill();
    const keyed = pools.map((id) => post(b, `/api/queues/${id}/items`, { payload: {} }, `after-${id}`));
    for (const answer of await Promise.all(keyed)) t.is(answer.status, 201, JSON.stringify(answer.body));
    await settled(b, ["b", "c"]);

    // Told to stop under load, a node gives its shards away, and no request fails for it.
    let stopped = false;
    const failed: string[] = [];
    let done = 0;
    const clients = pools.slice(0, 4).map(async (id, index) => {
      while (!stopped) {
        const answer = await post(b, `/api/queues/${id}/items`, { payload: { index } });
        if (answer.status === 201) done++;
        else failed.push(JSON.stringify(answer.body));
      }
    });
    t.is(await c.terminate(), 0);
    stopped = true;
    await Promise.all(clients);
    t.deepEqual(failed, []);
    t.true(done > 0);
    const left = await settled(b, ["b"]);
    t.is(left.nodes[0]!.shards_held, 256);
    t.is((await fetch(`${b.url}/ready`)).status, 200);

    // It says of each shard that was given to it how long that took.
    const page = await (await fetch(`http://127.0.0.1:${b.ports.metrics}/metrics`)).text();
    const moves = page.match(/^service_cluster_move_duration_seconds_.*$/gm)?.join("\n") ?? "";
    const given = Number(/_count\S* (\d+)$/m.exec(moves)?.[1]);
    t.true(given >= 50, moves);
    t.log(moves);

    // On Cassandra too the service certifies itself.
    await certify(t, b.url);

    // A node is emptied by another one and stays up, for as long as the operator needs it.
    await a.start();
    await settled(b, ["a", "b"]);
    cli(b, "cluster", "drain", "a");
    await eventually("the other node has all shards", async () => {
      const { nodes } = await get<Report>(b, "/api/_meta/cluster");
      return nodes.find(({ node_id }) => node_id === "b")?.shards_held === 256 || undefined;
    });
    t.is((await fetch(`${a.url}/api/pools/${pools[0]}`)).status, 200);
    t.is(await a.terminate(), 0);
  },
);

/** An item goes to a worker of `Work`, and `RouteStream` answers, on this node. */
async function streamed(t: ExecutionContext, node: Server, pool: string): Promise<void> {
  const made = await post(node, `/api/pools/${pool}/recipients`, { name: "streams" });
  const recipient_id = (made.body.data as { id: string }).id;
  const first = async (service: string, method: string, ...frames: Record<string, unknown>[]) => {
    const { client, stream } = openStream({ service: node }, service, method);
    t.teardown(() => client.close());
    const frame = new Promise<Record<string, unknown>>((resolve, reject) => {
      stream.on("error", reject);
      stream.on("data", resolve);
    });
    for (const one of frames) stream.write(one);
    const found = await frame;
    stream.removeAllListeners("error").on("error", () => undefined);
    stream.cancel();
    return found;
  };
  t.like(await first("RoutingService", "RouteStream", { ref: "r", route: { pool_id: pool } }), { ref: "r" });
  await post(node, `/api/queues/${pool}/items`, { payload: {} });
  const hello = { hello: { pool_id: pool, recipient_id, credit: 1 } };
  const { assigned } = await first("QueueService", "Work", hello);
  t.is((assigned as { items: unknown[] } | undefined)?.items.length, 1);
}

/** What the node has sent so far to a subscriber of events. */
async function subscribe(t: ExecutionContext, node: Server): Promise<() => string> {
  const stop = new AbortController();
  t.teardown(() => stop.abort());
  const answer = await fetch(`${node.internalUrl}/api/events/subscribe`, { signal: stop.signal });
  t.is(answer.status, 200);
  let text = "";
  const read = async () => {
    for await (const chunk of answer.body!) text += Buffer.from(chunk).toString();
  };
  read().catch(() => undefined);
  return () => text;
}

interface Report {
  readonly nodes: readonly {
    readonly node_id: string;
    readonly shards_held: number;
    readonly shards_share: number;
    readonly state: string;
  }[];
  readonly shards_unheld: number;
}

/** The list has these nodes, each of them has what it should, and nothing is on the move. */
function settled(node: Server, ids: readonly string[]): Promise<Report> {
  return eventually(`the shards are where they should be: ${ids}`, async () => {
    const report = await get<Report>(node, "/api/_meta/cluster");
    const found = report.nodes.map(({ node_id }) => node_id).sort();
    const isPlaced = report.nodes.every((one) => one.shards_held === one.shards_share);
    return found.join() === ids.join() && isPlaced && report.shards_unheld === 0 ? report : undefined;
  });
}

async function shards(node: Server): Promise<{ number: number; node_id?: string }[]> {
  return (await get<{ shards: { number: number; node_id?: string }[] }>(node, "/api/_meta/shards")).shards;
}

async function get<T>(server: Server, path: string): Promise<T> {
  const answer = await fetch(`${server.internalUrl}${path}`);
  return ((await answer.json()) as { data: T }).data;
}

function cli(server: Server, ...args: string[]): string {
  const root = path.resolve(import.meta.dirname, "../..");
  const all = ["dist/cli/service.js", ...args, "--addr", `127.0.0.1:${server.ports.internal}`];
  const { stdout, stderr } = spawnSync(process.execPath, all, { cwd: root, encoding: "utf8" });
  return stdout + stderr;
}

async function post(server: Server, path: string, body: unknown, key?: string) {
  const answer = await fetch(`${server.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(key !== undefined && { "idempotency-key": key }) },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}
