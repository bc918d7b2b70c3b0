import { request } from "node:http";
import { CliError } from "./error.ts";
import { loadSettings, parseOptions } from "./options.ts";
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
  "thread",
  "epoch",
  "head",
  "durable_head",
  "mailbox_depth",
  "mailbox_bytes",
  "entities",
  "buffer_bytes",
  "tenures",
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

/** A node answers loopback in a moment; one that does not is in trouble, and that is an answer too. */
const answerMsMax = 10_000;

function connect(args: readonly string[], terminal: Terminal, own: Parameters<typeof parseOptions>[1]) {
  const options = parseOptions(args, {
    addr: { type: "string" },
    token: { type: "string" },
    json: { type: "boolean" },
    ...own,
  });
  // Not a setting of the service: it is taken out before the settings are read, or they would warn of it.
  const { SERVICE_TOKEN: tokenOfEnvironment, ...environment } = terminal.environment;
  const { addr, token = tokenOfEnvironment } = options.flags;
  const address =
    typeof addr === "string"
      ? addr
      : loadSettings({ ...terminal, environment }, "production", options).config["server.internal_addr"];
  const headers = typeof token === "string" ? { authorization: `Bearer ${token}` } : {};
  return { flags: options.flags, get: (path: string) => get(address, path, headers) };
}

/** By node:http: `fetch` would drag a connection pool along that keeps the command from ending. */
function get(address: string, path: string, headers: Record<string, string>): Promise<unknown> {
  const [, host, port] = /^(.*):(\d+)$/.exec(address) ?? [];
  if (port === undefined) throw new CliError(`service: ${address} is not host:port`, 2);
  return new Promise((resolve, reject) => {
    const away = (why: string) => reject(new CliError(`service: no answer from ${address}: ${why}`));
    const sent = request(
      { host: host === "" ? "127.0.0.1" : host!.replace(/^\[|\]$/g, ""), port, path, headers, agent: false },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("error", (error) => away(error.message));
        response.on("end", () => {
          try {
            const body = JSON.parse(text) as { data?: unknown; errorCode?: string; detail?: string };
            if (response.statusCode === 200) resolve(body.data);
            else reject(new CliError(`service: refused with ${body.errorCode}: ${body.detail}`));
          } catch {
            away("this is not the internal plane of a node");
          }
        });
      },
    );
    sent.setTimeout(answerMsMax, () => sent.destroy(new Error("it takes too long")));
    sent.on("error", (error: NodeJS.ErrnoException) =>
      away(
        error.code === "ECONNRESET"
          ? `it ended the connection. ${withCertificate(address, path)}`
          : error.message,
      ),
    );
    sent.end();
  });
}

/** What a listener with TLS does to whoever speaks plain HTTP. */
function withCertificate(address: string, path: string): string {
  const curl = `curl --cert client.crt --key client.key --cacert ca.crt https://${address}${path}`;
  return `This command speaks plain HTTP; where server.internal_require_mtls is set, ask with a certificate: ${curl}`;
}

function json(rows: readonly Row[]): string {
  return `${JSON.stringify(rows, undefined, 2)}\n`;
}
