import { setTimeout as sleep } from "node:timers/promises";
import { handleOf, type Ulid } from "#base";
import { startCassandra } from "../crash/cassandra.ts";
import { Server } from "../crash/server.ts";
import { eventually } from "../support/eventually.ts";

interface FailOverReport {
  /** From each kill -9 to the moment at which a survivor logged that it removes the node. */
  readonly noticedMs: number[];
  /** From each kill -9 to the first acknowledged write in a shard of the killed node. */
  readonly firstMs: number[];
  /** From each kill -9 until every pool has acknowledged a write. */
  readonly lastMs: number[];
}

interface HandOverReport {
  readonly moved: number;
  /** Of these shards, by upper bound in seconds: how long requests for the shard waited. */
  readonly away: ReadonlyMap<string, number>;
  readonly requests: number;
  readonly failed: readonly string[];
}

interface FailOverOptions {
  readonly kills: number;
  readonly handOvers: number;
  readonly log?: (line: string) => void;
}

/** Pools that are written to; about a third of them are in shards of each node. */
const poolCount = 36;
const names = ["a", "b", "c"];
const takeOvers = "service_cluster_takeover_duration_seconds";
const moves = "service_cluster_move_duration_seconds";

/** Measures how long writes wait when one of three nodes is killed, and when it is told to stop. */
export async function measureFailOver(options: FailOverOptions) {
  const cassandra = await startCassandra();
  const nodes = names.map(
    (id) => new Server([...cassandra.settings, `cluster.node_id=${id}`, "server.workers=1"]),
  );
  try {
    for (const node of nodes) await node.start();
    const run = new FailOver(nodes, options.log ?? (() => undefined));
    await run.fill();
    for (let kill = 0; kill < options.kills; kill++) await run.kill(nodes[kill % nodes.length]!);
    const handOvers: HandOverReport[] = [];
    for (let at = 0; at < options.handOvers; at++)
      handOvers.push(await run.handOver(nodes[at % nodes.length]!));
    return { failOver: run.report, handOvers };
  } finally {
    await Promise.all(nodes.map((node) => node.remove()));
    await cassandra.stop();
  }
}

class FailOver {
  readonly #nodes: readonly Server[];
  readonly #log: (line: string) => void;
  readonly #pools: string[] = [];
  #writes = 0;
  readonly report: FailOverReport = { noticedMs: [], firstMs: [], lastMs: [] };

  constructor(nodes: readonly Server[], log: (line: string) => void) {
    this.#nodes = nodes;
    this.#log = log;
  }

  async fill(): Promise<void> {
    await this.#settled();
    for (let pool = 0; pool < poolCount; pool++) {
      const answer = await post(this.#nodes[0]!, "/api/pools", { name: `pool-${pool}` });
      this.#pools.push((answer.body.data as { id: string }).id);
    }
  }

  async kill(victim: Server): Promise<void> {
    await this.#settled();
    const others = this.#nodes.filter((node) => node !== victim);
    const pools = await this.#poolsOf(victim);
    // Entries that the next owner has to read.
    await Promise.all(pools.map((pool) => this.#write(others[0]!, pool)));
    const before = await this.#away(others, takeOvers);
    const wallMs = Date.now();
    const beganMs = performance.now();
    await victim.kill();
    const writes = pools.map(async (pool, at) => {
      await this.#write(others[at % others.length]!, pool);
      return performance.now() - beganMs;
    });
    const ms = await Promise.all(writes);
    const noticedMs = Math.min(...others.map((node) => removedAtMs(node.log, wallMs))) - wallMs;
    const [firstMs, lastMs] = [Math.min(...ms), Math.max(...ms)];
    this.report.noticedMs.push(noticedMs);
    this.report.firstMs.push(firstMs);
    this.report.lastMs.push(lastMs);
    const away = since(before, await this.#away(others, takeOvers));
    this.#log(
      `kill -9 ${this.#nameOf(victim)}: noticed ${whole(noticedMs)}, first write ${whole(firstMs)}, ` +
        `last of ${pools.length} pools ${whole(lastMs)} ms; shards taken: ${shown(away)}`,
    );
    await victim.start();
  }

  async handOver(victim: Server): Promise<HandOverReport> {
    await this.#settled();
    const others = this.#nodes.filter((node) => node !== victim);
    const before = await this.#away(others, moves);
    let stopped = false;
    let requests = 0;
    const failed: string[] = [];
    const clients = Array.from({ length: 8 }, async (_, client) => {
      for (let at = client; !stopped; at++) {
        const pool = this.#pools[at % this.#pools.length]!;
        const answer = await post(others[at % others.length]!, `/api/queues/${pool}/items`, { payload: {} });
        requests++;
        if (answer.status !== 201) failed.push(JSON.stringify(answer.body));
      }
    });
    await sleep(500);
    const code = await victim.terminate();
    await sleep(500);
    stopped = true;
    await Promise.all(clients);
    if (code !== 0) failed.push(`the node ended with ${code}`);
    const away = since(before, await this.#away(others, moves));
    const moved = away.get("+Inf") ?? 0;
    this.#log(
      `SIGTERM ${this.#nameOf(victim)}: ${requests} requests, ${failed.length} failed; shards moved: ${shown(away)}`,
    );
    await victim.start();
    return { moved, away, requests, failed };
  }

  #nameOf(node: Server): string {
    return names[this.#nodes.indexOf(node)]!;
  }

  /** Waits until all nodes have the same list, each holds the shards it should, and each has a heartbeat. */
  async #settled(): Promise<void> {
    for (const node of this.#nodes)
      await eventually("the shards are where they should be", async () => {
        const { nodes, shards_unheld } = await get<Cluster>(node, "/api/_meta/cluster");
        const isPlaced = nodes.every((one) => one.shards_held === one.shards_share && one.state === "member");
        if (nodes.length === this.#nodes.length && isPlaced && shards_unheld === 0) return true;
        await sleep(50);
        return undefined;
      });
  }

  async #poolsOf(node: Server): Promise<string[]> {
    const { shards } = await get<{ shards: { number: number; node_id?: string }[] }>(
      node,
      "/api/_meta/shards",
    );
    const own = new Set(
      shards.filter(({ node_id }) => node_id === this.#nameOf(node)).map(({ number }) => number),
    );
    // A pool is in memory once it was written to.
    await Promise.all(this.#pools.map((pool) => this.#write(node, pool)));
    const { actors } = await get<{ actors: { key: string; shard: number }[] }>(
      node,
      "/api/_meta/actors?kind=queue&limit=1000",
    );
    const handles = new Set(actors.filter(({ shard }) => own.has(shard)).map(({ key }) => key));
    return this.#pools.filter((pool) => handles.has(handleOf(pool as Ulid)));
  }

  /** Repeats the request with one idempotency key, as a client would. */
  async #write(node: Server, pool: string): Promise<void> {
    const key = `write-${this.#writes++}`;
    await eventually(`a write to ${pool}`, async () => {
      const answer = await post(node, `/api/queues/${pool}/items`, { payload: {} }, key).catch(
        () => undefined,
      );
      if (answer?.status === 201) return true;
      await sleep(10);
      return undefined;
    });
  }

  /** Shards that came to these nodes so far, by how long that took. */
  async #away(nodes: readonly Server[], metric: string): Promise<Map<string, number>> {
    const sums = new Map<string, number>();
    for (const node of nodes) {
      const page = await (await fetch(`http://127.0.0.1:${node.ports.metrics}/metrics`)).text();
      const lines = page.matchAll(new RegExp(`^${metric}_bucket\\{.*le="([^"]+)"\\} (\\d+)$`, "gm"));
      for (const [, bound, count] of lines) sums.set(bound!, (sums.get(bound!) ?? 0) + Number(count));
    }
    return sums;
  }
}

interface Cluster {
  readonly nodes: readonly {
    readonly shards_held: number;
    readonly shards_share: number;
    readonly state: string;
  }[];
  readonly shards_unheld: number;
}

/** By the machine's wall clock, which all its processes share. */
function removedAtMs(log: string, sinceMs: number): number {
  const times = log
    .split("\n")
    .filter((line) => line.startsWith("{") && line.includes("has sent no heartbeat"))
    .map((line) => Date.parse((JSON.parse(line) as { time: string }).time));
  return times.find((time) => time >= sinceMs) ?? Number.POSITIVE_INFINITY;
}

function since(before: ReadonlyMap<string, number>, now: ReadonlyMap<string, number>): Map<string, number> {
  return new Map([...now].map(([bound, count]) => [bound, count - (before.get(bound) ?? 0)]));
}

/** How many shards were away for at most this many seconds. */
function shown(away: ReadonlyMap<string, number>): string {
  const first = [...away].findIndex(([, count]) => count > 0);
  const last = [...away].findIndex(([, count]) => count === away.get("+Inf"));
  return [...away]
    .slice(Math.max(0, first), last + 1)
    .map(([bound, count]) => `${count} in ${bound} s`)
    .join(", ");
}

function whole(ms: number): string {
  return Math.round(ms).toString();
}

async function get<T>(server: Server, path: string): Promise<T> {
  return ((await (await fetch(`${server.internalUrl}${path}`)).json()) as { data: T }).data;
}

async function post(server: Server, path: string, body: unknown, key?: string) {
  const answer = await fetch(`${server.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(key !== undefined && { "idempotency-key": key }) },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}
