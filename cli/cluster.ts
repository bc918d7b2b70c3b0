import { CliError } from "./error.ts";
import { internalOptions, internalPlane } from "./internal.ts";
import { parseOptions } from "./options.ts";
import { table } from "./table.ts";
import type { Terminal } from "./terminal.ts";

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

/** `service cluster status` */
export async function clusterStatus(args: readonly string[], terminal: Terminal): Promise<number> {
  const options = parseOptions(args, { ...internalOptions, json: { type: "boolean" } });
  const plane = internalPlane(options, terminal);
  const { data } = await plane.call({ method: "GET", path: "/api/_meta/cluster", headers: {} });
  const report = data as unknown as Report;
  if (options.flags.json === true) {
    terminal.out(`${JSON.stringify(report, undefined, 2)}\n`);
    return 0;
  }
  if (!report.enabled) {
    terminal.out("alone: this storage engine serves one process\n");
    return 0;
  }
  const { version, nodes, shards_unheld: unheld } = report;
  const answer = await plane.call({ method: "GET", path: "/api/_meta/shards", headers: {} });
  const shards = (answer.data as unknown as { shards: readonly ShardReport[] }).shards;
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

/** `service cluster drain NODE` */
export async function clusterDrain(args: readonly string[], terminal: Terminal): Promise<number> {
  const [node, ...rest] = args;
  if (node === undefined || node.startsWith("-"))
    throw new CliError("service: cluster drain NODE: which node?", 2);
  const options = parseOptions(rest, internalOptions);
  const plane = internalPlane(options, terminal);
  const path = `/api/_meta/cluster/nodes/${encodeURIComponent(node)}/drain`;
  await plane.call({ method: "POST", path, body: {}, headers: {} });
  terminal.out(`${node} gives its shards away; service cluster status shows how far it is\n`);
  return 0;
}
