import type { Given } from "../command.ts";
import { table } from "../table.ts";
import type { Terminal } from "../terminal.ts";
import { Client } from "./client.ts";
import { internalServer } from "./internal.ts";
import { formatOf, rendered } from "./output.ts";

interface Report {
  readonly enabled: boolean;
  readonly node_id: string;
  readonly version: number;
  readonly nodes: readonly NodeReport[];
  readonly shards_unheld: number;
}

type NodeReport = Readonly<Record<string, unknown>> & {
  readonly node_id: string;
  readonly shards_moving?: readonly number[];
};

interface ShardReport {
  readonly node_id?: string;
  readonly epoch?: number | string;
  readonly head?: number | string;
  readonly durable_head?: number | string;
}

const nodeColumns = [
  "node_id",
  "zone",
  "state",
  "shards_held",
  "shards_share",
  "shards_moving",
  "epochs",
  "uncommitted",
  "silent_ms",
  "link_unread_bytes",
  "workers",
  "address",
];

/** `service cluster status`: the nodes, with what their shards say; exit code 1 while a shard has no holder. */
export async function clusterStatus({ flags }: Given, terminal: Terminal): Promise<number> {
  const format = formatOf(flags.output);
  const client = new Client(await internalServer(flags, terminal));
  const report = await client.call<Report>("RuntimeService.GetCluster", {});
  if (format !== "table") {
    const method = client.surface.method("RuntimeService.GetCluster")!;
    terminal.out(await rendered(client.surface, method, report, format));
    return 0;
  }
  if (!report.enabled) {
    terminal.out("alone: this storage engine serves one process\n");
    return 0;
  }
  const { version, nodes, shards_unheld: unheld } = report;
  const { shards } = await client.call<{ shards: readonly ShardReport[] }>("RuntimeService.ListShards", {});
  terminal.out(
    table(
      nodeColumns,
      nodes.map((node) => lineOf(node, shards)),
    ),
  );
  for (const { node_id, shards_moving: moving = [] } of nodes)
    if (moving.length > 0) terminal.out(`on their way to ${node_id}: ${moving.join(", ")}\n`);
  terminal.out(
    `version ${version} of the list, as ${report.node_id} sees it; ${unheld} shards held by no node\n`,
  );
  return unheld === 0 ? 0 : 1;
}

/** A node with what its shards say: the epochs of their ownerships, and how many events they decided that are not durable yet. */
function lineOf(node: NodeReport, shards: readonly ShardReport[]): Record<string, unknown> {
  const own = shards.filter(({ node_id }) => node_id === node.node_id);
  const epochs = own.map(({ epoch }) => Number(epoch ?? 0));
  const behind = own.map(({ head, durable_head }) => Number(head ?? 0) - Number(durable_head ?? 0));
  return {
    ...node,
    shards_moving: node.shards_moving?.length ?? 0,
    epochs: own.length === 0 ? "" : `${Math.min(...epochs)}–${Math.max(...epochs)}`,
    uncommitted: behind.reduce((sum, one) => sum + one, 0),
  };
}
