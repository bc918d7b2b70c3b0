import { CliError } from "./error.ts";
import { internalOptions, internalPlane } from "./internal.ts";
import { parseOptions } from "./options.ts";
import { table } from "./table.ts";
import type { Terminal } from "./terminal.ts";

interface Report {
  readonly enabled: boolean;
  readonly node_id: string;
  readonly version: number;
  readonly nodes: readonly Readonly<Record<string, unknown>>[];
  readonly shards_unheld: number;
  readonly shards_moving: readonly number[];
}

const nodeColumns = [
  "node_id",
  "zone",
  "state",
  "shards_held",
  "shards_share",
  "silent_ms",
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
  const { version, nodes, shards_unheld: unheld, shards_moving: moving } = report;
  terminal.out(table(nodeColumns, nodes));
  terminal.out(
    `version ${version} of the list, as ${report.node_id} sees it; ${moving.length} shards on their way to it; ${unheld} held by no node\n`,
  );
  return unheld === 0 ? 0 : 1;
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
