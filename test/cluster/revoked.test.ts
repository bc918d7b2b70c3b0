import { toBinary } from "@bufbuild/protobuf";
import { Client, credentials, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import anyTest, { type ExecutionContext, type TestFn } from "ava";
import { WebSocket } from "ws";
import { fromPlain } from "../../gateway/contract/index.ts";
import { makeServiceToken } from "../../gateway/identity/service-tokens.ts";
import { contractBytes, loadRegistry } from "../../protos/index.ts";
import { startCassandra } from "../crash/cassandra.ts";
import { Server } from "../crash/server.ts";
import { eventually } from "../support/eventually.ts";
import { needing } from "../support/needing.ts";

interface Nodes {
  /** Where the callers are. */
  readonly here: Server;
  /** Where what they may do is changed. */
  readonly there: Server;
}

const test = anyTest as TestFn<Nodes>;
const onCassandra = needing(test.serial, "cassandra");
const secret = "a secret for tests, of 32 bytes or more";

/** The nodes start with the first test: a machine without Cassandra skips all. */
let nodes: Promise<Nodes & { remove(): Promise<void> }> | undefined;
test.after.always(async () => (await nodes)?.remove());

interface Caller {
  readonly tenant: string;
  readonly keyId: string;
  readonly key: string;
  readonly worked: Pool;
  readonly claimed: Pool;
}

interface Pool {
  readonly pool_id: string;
  readonly recipient_id: string;
}

interface Loss {
  readonly name: string;
  readonly code: string;
  /** Absent: it waits for the end of the key. */
  readonly happen?: (there: Server, caller: Caller) => Promise<unknown>;
}

const losses: readonly Loss[] = [
  {
    name: "their key is revoked",
    code: "UNAUTHENTICATED",
    happen: (there, { tenant, keyId }) =>
      asPlatform(there, "POST", `/api/v2/api-keys/${keyId}/revoke`, {}, tenant),
  },
  { name: "their key expires that was made", code: "UNAUTHENTICATED" },
  {
    name: "their tenant is suspended",
    code: "PERMISSION_DENIED",
    happen: (there, { tenant }) =>
      asPlatform(there, "PATCH", `/api/tenants/${tenant}`, { status: "suspended" }),
  },
];

/** Long enough to open the streams on a busy machine. */
const shortMs = 10_000;

for (const loss of losses)
  onCassandra(
    `given streams and a long poll on one node, when ${loss.name} on another, then each ends, takes nothing later, and the key is refused`,
    async (t) => {
      t.timeout(600_000);
      nodes ??= startNodes();
      const { here, there } = await nodes;
      const caller = await newCaller(there, loss.happen === undefined ? shortMs : 3_600_000);
      const items = `/api/queues/${caller.worked.pool_id}/items`;
      for (const index of [1, 2]) await asPlatform(there, "POST", items, { payload: index }, caller.tenant);
      const streams = [socketWork(t, here, caller), grpcWork(t, here, caller), grpcRoutes(t, here, caller)];
      // Ends by itself, without an error, if nobody ends it before.
      const claim = { recipient_id: caller.claimed.recipient_id, wait_seconds: 20 };
      const claims = `/api/queues/${caller.claimed.pool_id}/items:claim`;
      const polled = call(here, "POST", claims, claim, { "x-api-key": caller.key });
      await Promise.all(streams.map(({ answered }) => answered));
      // More than there is: what comes later would be assigned at once.
      for (const { send } of streams.slice(0, 2)) send({ credit: { items: 10 } });
      const lostMs = performance.now();
      await loss.happen?.(there, caller);
      for (const { ended } of streams) t.is(await ended, loss.code);
      if (loss.happen) t.log(`its streams ended ${Math.round(performance.now() - lostMs)} ms later`);
      t.is((await polled).errorCode, loss.code);
      t.is(
        (await call(here, "GET", "/api/pools", undefined, { "x-api-key": caller.key })).errorCode,
        loss.code,
      );
      if (loss.code === "PERMISSION_DENIED") return;
      for (const { pool_id } of [caller.worked, caller.claimed])
        await asPlatform(there, "POST", `/api/queues/${pool_id}/items`, { payload: "late" }, caller.tenant);
      t.deepEqual(await statesOf(here, caller, caller.worked), ["leased", "leased", "ready"]);
      t.deepEqual(await statesOf(here, caller, caller.claimed), ["ready"]);
    },
  );

async function startNodes() {
  const cassandra = await startCassandra();
  const settings = [
    ...cassandra.settings,
    "auth.enabled=true",
    "auth.api_key_enabled=true",
    `internal.token_secret=${secret}`,
  ];
  const [here, there] = ["a", "b"].map((id) => new Server([...settings, `cluster.node_id=${id}`])) as [
    Server,
    Server,
  ];
  for (const node of [here, there]) await node.start();
  await eventually("the shards are divided", async () => {
    const { data } = await asPlatform(here, "GET", "/api/_meta/cluster");
    const { nodes: list } = data as { nodes: { shards_held: number; shards_share: number }[] };
    const isPlaced = list.every((one) => one.shards_held === one.shards_share && one.shards_held < 256);
    return (list.length === 2 && isPlaced) || undefined;
  });
  const remove = async () => {
    await Promise.all([here.remove(), there.remove()]);
    await cassandra.stop();
  };
  return { here, there, remove };
}

async function newCaller(node: Server, livesMs: number): Promise<Caller> {
  const tenant = await made(node, "/api/tenants", { name: "acme" });
  const pool = async (name: string): Promise<Pool> => {
    const pool_id = await made(node, "/api/pools", { name }, tenant.id);
    const path = `/api/pools/${pool_id.id}/recipients`;
    const recipient = await made(node, path, { name: "r", capacity: 100 }, tenant.id);
    return { pool_id: pool_id.id, recipient_id: recipient.id };
  };
  const [worked, claimed] = [await pool("worked"), await pool("claimed")];
  const expires_at = new Date(Date.now() + livesMs).toISOString();
  const key = await made(node, "/api/v2/api-keys", { name: "k", roles: ["admin"], expires_at }, tenant.id);
  return { tenant: tenant.id, keyId: key.id, key: key.secret!, worked, claimed };
}

interface Stream {
  /** It has had its first answer. */
  readonly answered: Promise<void>;
  /** With this code of ours. */
  readonly ended: Promise<string>;
  send(message: object): void;
}

type Test = ExecutionContext<Nodes>;

function socketWork(t: Test, node: Server, { key, worked }: Caller): Stream {
  const socket = new WebSocket(`ws://127.0.0.1:${node.ports.http}/api/streams/QueueService/Work`);
  t.teardown(() => socket.terminate());
  const send = (message: object) => socket.send(JSON.stringify({ message }));
  socket.on("open", () => {
    socket.send(JSON.stringify({ headers: { "x-api-key": key } }));
    send({ hello: { ...worked, credit: 1 } });
  });
  const frames = (take: (frame: Record<string, { errorCode?: string }>) => boolean) =>
    new Promise<void>((resolve, reject) => {
      socket.on("message", (data) => take(JSON.parse(data.toString())) && resolve());
      socket.on("error", reject);
    });
  let code = "no error";
  const ended = frames(({ error }) => {
    code = error?.errorCode ?? code;
    return error !== undefined;
  });
  return { answered: frames(({ message }) => message !== undefined), ended: ended.then(() => code), send };
}

function grpcWork(t: Test, node: Server, caller: Caller): Stream {
  return grpc(t, node, caller, ["QueueService", "Work"], { hello: { ...caller.worked, credit: 1 } });
}

function grpcRoutes(t: Test, node: Server, caller: Caller): Stream {
  const route = { pool_id: caller.worked.pool_id };
  return grpc(t, node, caller, ["RoutingService", "RouteStream"], { ref: "r", route });
}

const registry = loadRegistry(contractBytes());

function grpc(
  t: Test,
  node: Server,
  { key }: Caller,
  [service, name]: readonly [string, string],
  first: object,
): Stream {
  const { input } = registry
    .getService(`service.api.${service}`)!
    .methods.find((method) => method.name === name)!;
  const client = new Client(`127.0.0.1:${node.ports.grpc}`, credentials.createInsecure());
  t.teardown(() => client.close());
  const metadata = new Metadata();
  metadata.set("x-api-key", key);
  const stream = client.makeBidiStreamRequest<object, Buffer>(
    `/service.api.${service}/${name}`,
    (plain) => Buffer.from(toBinary(input, fromPlain(input, plain))),
    (bytes) => bytes,
    metadata,
  );
  const ended = new Promise<string>((resolve) =>
    stream.on("error", ({ code }: ServiceError) => resolve(status[code]!)),
  );
  const answered = new Promise<void>((resolve) => stream.once("data", () => resolve()));
  stream.resume().write(first);
  return { answered, ended, send: (message) => void stream.write(message) };
}

async function statesOf(node: Server, { tenant }: Caller, { pool_id }: Pool): Promise<string[]> {
  const { data } = await asPlatform(node, "GET", `/api/queues/${pool_id}/items?limit=100`, undefined, tenant);
  return (data as { state: string }[]).map(({ state }) => state).sort();
}

async function made(node: Server, path: string, body: object, tenant?: string) {
  const { data, ...rest } = await asPlatform(node, "POST", path, body, tenant);
  if (data === undefined) throw new Error(`${path}: ${JSON.stringify(rest)}`);
  return data as { id: string; secret?: string };
}

function asPlatform(node: Server, verb: string, path: string, body?: object, tenant?: string) {
  const authorization = `Bearer ${makeServiceToken({ secret, subject: "platform" })}`;
  const headers = { authorization, ...(tenant !== undefined && { "x-tenant-id": tenant }) };
  return call({ url: node.internalUrl }, verb, path, body, headers);
}

async function call(
  { url }: { readonly url: string },
  method: string,
  path: string,
  body: object | undefined,
  headers: Record<string, string>,
): Promise<Record<string, unknown>> {
  const type = { "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json" };
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { ...headers, ...(body && type) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await answer.json()) as Record<string, unknown>;
}
