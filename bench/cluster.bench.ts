// What does it cost that the owner of an entity is another node, on one machine with Cassandra beside it?
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { handleOf, limits, devTenantId as tenant } from "#base";
import { migrateStorage } from "#storage";
import { hashOf } from "../runtime/placement.ts";
import { startCassandraNodes } from "../test/support/cassandra.ts";
import { eventually } from "../test/support/eventually.ts";
import { defineBench, type Stats } from "./support/bench.ts";
import { cpuSeconds } from "./support/cpu.ts";
import { inFolder } from "./support/folder.ts";
import { keepAliveLoad } from "./support/keep-alive.ts";
import { Lane } from "./support/lane.ts";
import { cycleBatch, newQueue, type QueueTarget } from "./support/life-cycle.ts";
import { median } from "./support/result.ts";
import { type BenchService, startService } from "./support/service.ts";

const connections = 64;
const [lanes, batchItems] = [8, 50];
const turns = Number(process.env.BENCH_TURNS ?? 3);
const seconds = Number(process.env.BENCH_SECONDS ?? 4);
const routeBody = JSON.stringify({ key: "customer-17", attributes: { region: "eu", tier: "gold" } });

export default defineBench({
  question:
    "How many routes and life cycles a second when the owner is another node, against the node that was asked; and what does an idle third node cost?",
  needs: ["cassandra"],
  contenders: { two_nodes: () => compare(2), idle_third: () => compare(3) },
  rounds: 1,
  bars: [
    { figure: "routes_ratio", contender: "two_nodes", atLeast: 0.5 },
    { figure: "life_cycles_ratio", contender: "two_nodes", atLeast: 0.5 },
  ],
});

/** Nodes with one worker each. All loaded entities belong to the first; callers ask it and the second in turns. */
function compare(nodes: number): Promise<Stats> {
  return inFolder(async (dir) => {
    const cassandra = await startCassandraNodes();
    const services: BenchService[] = [];
    try {
      const settings = cassandra.settings("bench");
      await migrateStorage({ engine: "cassandra", ...settings });
      for (let node = 0; node < nodes; node++) {
        const folder = join(dir, `n${node}`);
        mkdirSync(folder);
        services.push(
          await startService(folder, [
            "storage.engine=cassandra",
            `storage.cassandra.contact_points=${settings.contactPoints.join(",")}`,
            `storage.cassandra.keyspace=${settings.keyspace}`,
            `storage.cassandra.local_data_center=${settings.localDataCenter}`,
            `cluster.node_id=n${node}`,
            "server.workers=1",
          ]),
        );
      }
      return await measure(services);
    } finally {
      for (const service of services) await service.stop();
      await cassandra.stop();
    }
  });
}

async function measure(services: readonly BenchService[]): Promise<Stats> {
  const [owner, other, idle] = services as [BenchService, BenchService, BenchService?];
  await settled(owner, services.length);
  const owned = await shardsOf(owner, "n0");
  const poolOfOwner = async (make: () => Promise<string>) => {
    for (;;) {
      const pool = await make();
      if (owned.has(hashOf({ kind: "pool", tenant, key: handleOf(pool) }) % limits.shardCount)) return pool;
    }
  };
  const routed = await poolOfOwner(() => owner.createPool(2));
  let target: QueueTarget | undefined;
  await poolOfOwner(async () => {
    target = await newQueue(owner);
    return target.poolId;
  });
  const routes = (at: BenchService) =>
    keepAliveLoad(
      { pid: at.pid, port: at.ports.http, path: `/api/pools/${routed}:route`, body: routeBody },
      connections,
      seconds,
    );
  const cycles = (at: BenchService) => lifeCycles({ ...target!, port: at.ports.http });
  for (const at of [owner, other]) {
    await routes(at);
    await cycles(at);
  }
  const [idleBefore, beganMs] = [idle && cpuSeconds(idle.pid), performance.now()];
  const stats = { ...(await inTurns("routes", owner, other, routes)) };
  Object.assign(stats, await inTurns("life_cycles", owner, other, cycles));
  if (idle !== undefined)
    stats.idle_node_cpu_share =
      (cpuSeconds(idle.pid) - idleBefore!) / ((performance.now() - beganMs) / 1_000);
  return stats;
}

/** `ratio`: of neighbouring measurements, because the machine's speed changes from one second to the next. */
async function inTurns(
  name: string,
  owner: BenchService,
  other: BenchService,
  load: (at: BenchService) => Promise<Stats>,
): Promise<Record<string, number>> {
  const runs: { readonly here: Stats; readonly away: Stats }[] = [];
  const before = await committed(owner);
  for (let turn = 0; turn < turns; turn++) runs.push({ here: await load(owner), away: await load(other) });
  const after = await committed(owner);
  return {
    [`${name}_ratio`]: median(runs.map(({ here, away }) => away.per_s! / here.per_s!)),
    [`${name}_here_per_s`]: median(runs.map(({ here }) => here.per_s!)),
    [`${name}_away_per_s`]: median(runs.map(({ away }) => away.per_s!)),
    [`${name}_commands_per_conditional_batch`]:
      (after.commands - before.commands) / (after.commits - before.commits),
  };
}

async function lifeCycles(target: QueueTarget): Promise<Stats> {
  const until = performance.now() + seconds * 1_000;
  let completed = 0;
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      const lane = new Lane(target.port);
      while (performance.now() < until) {
        const done = await cycleBatch(lane, target, batchItems, () => ({ payload: "x".repeat(100) }));
        completed += done;
      }
      lane.close();
    }),
  );
  return { per_s: completed / ((performance.now() - until) / 1_000 + seconds) };
}

async function settled(service: BenchService, nodes: number): Promise<void> {
  await eventually("every node has its shards", async () => {
    const { nodes: found } = await internal<{ nodes: { shards_held: number; shards_share: number }[] }>(
      service,
      "/api/_meta/cluster",
    );
    const isPlaced = found.every((node) => node.shards_held === node.shards_share);
    return (found.length === nodes && isPlaced) || undefined;
  });
}

async function shardsOf(service: BenchService, node: string): Promise<Set<number>> {
  const { shards } = await internal<{ shards: { number: number; node_id?: string }[] }>(
    service,
    "/api/_meta/shards",
  );
  return new Set(shards.flatMap(({ number, node_id }) => (node_id === node ? [number] : [])));
}

async function internal<T>({ ports }: BenchService, path: string): Promise<T> {
  const answer = await fetch(`http://127.0.0.1:${ports.internal}${path}`);
  return ((await answer.json()) as { data: T }).data;
}

/** Commands and conditional batches of a node so far. */
async function committed({ ports }: BenchService): Promise<{ commands: number; commits: number }> {
  const page = await (await fetch(`http://127.0.0.1:${ports.http}/metrics`)).text();
  const sum = (name: string) =>
    [...page.matchAll(new RegExp(`^${name}\\{[^}]*\\} (\\S+)$`, "gm"))].reduce(
      (total, [, value]) => total + Number(value),
      0,
    );
  return {
    commands: sum("service_shard_committed_commands_total"),
    commits: sum("service_shard_commits_total"),
  };
}
