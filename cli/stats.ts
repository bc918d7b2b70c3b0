import { internalOptions, internalPlane } from "./internal.ts";
import { parseOptions } from "./options.ts";
import { table } from "./table.ts";
import type { Terminal } from "./terminal.ts";

/** `service shards list` */
export async function shardsList(args: readonly string[], terminal: Terminal): Promise<number> {
  const { flags, get } = connect(args, terminal, {});
  const { shards } = (await get("/api/_meta/shards")) as { shards: Row[] };
  terminal.out(flags.json === true ? json(shards) : table(shardColumns, shards));
  return 0;
}

/** `service actors list` */
export async function actorsList(args: readonly string[], terminal: Terminal): Promise<number> {
  const { flags, get } = connect(args, terminal, {
    failing: { type: "boolean" },
    kind: { type: "string" },
    tenant: { type: "string" },
    limit: { type: "string" },
  });
  const query = new URLSearchParams();
  if (flags.failing === true) query.set("failing", "true");
  if (typeof flags.kind === "string") query.set("kind", flags.kind);
  if (typeof flags.tenant === "string") query.set("tenant_id", flags.tenant);
  if (typeof flags.limit === "string") query.set("limit", flags.limit);
  const answer = (await get(`/api/_meta/actors?${query}`)) as { actors: Row[]; truncated: boolean };
  terminal.out(flags.json === true ? json(answer.actors) : table(actorColumns, answer.actors));
  if (answer.truncated) terminal.err("service: there are more; narrow the filter or raise --limit\n");
  return 0;
}

type Row = Readonly<Record<string, unknown>>;

const shardColumns = [
  "number",
  "status",
  "node_id",
  "thread",
  "epoch",
  "head",
  "durable_head",
  "mailbox_depth",
  "mailbox_bytes",
  "entities",
  "buffer_bytes",
  "terms",
];

const actorColumns = [
  "kind",
  "tenant_id",
  "key",
  "shard",
  "status",
  "mailbox_depth",
  "parked",
  "failures",
  "isolated_until",
  "last_failure",
];

function connect(args: readonly string[], terminal: Terminal, own: Parameters<typeof parseOptions>[1]) {
  const options = parseOptions(args, { ...internalOptions, json: { type: "boolean" }, ...own });
  const plane = internalPlane(options, terminal);
  const get = async (path: string) => (await plane.call({ method: "GET", path, headers: {} })).data;
  return { flags: options.flags, get };
}

function json(rows: readonly Row[]): string {
  return `${JSON.stringify(rows, undefined, 2)}\n`;
}
