/** Whole executions against a real faulty server: for each mutation and each failure, how often it is called and how it ends. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import test from "ava";
import { executed, startConnectors } from "../../test/support/connectors.ts";

type Failure = (response: ServerResponse) => void;

const status =
  (code: number, headers: () => Record<string, string> = () => ({})): Failure =>
  (response) =>
    void response.writeHead(code, headers()).end();

/** The first request of an execution meets one of these, the next ones are answered. */
const failures: Readonly<Record<string, Failure>> = {
  "reset before the first byte": (response) => void response.socket!.resetAndDestroy(),
  "cut off after the first byte": (response) => {
    response.writeHead(200, { "content-length": "100" }).write("half");
    setTimeout(() => response.destroy(), 20);
  },
  "408": status(408),
  "425": status(425),
  "429 with seconds": status(429, () => ({ "retry-after": "1" })),
  "429 with a date": status(429, () => ({ "retry-after": new Date(Date.now() + 1_000).toUTCString() })),
  "429 with a time": status(429, () => ({ "retry-after": String(Math.ceil(Date.now() / 1_000) + 1) })),
  "500": status(500),
  "502": status(502),
  "503": status(503),
  "401": status(401),
  "422": status(422),
};

const methods = { none: "GET", idempotent: "PUT", non_idempotent: "POST" } as const;
type Mutation = keyof typeof methods;

/** Calls that arrive, and how the execution ends. */
function expected(mutation: Mutation, failure: string): { readonly calls: number; readonly status: string } {
  const again = { calls: 2, status: "succeeded" };
  if (failure === "401" || failure === "422") return { calls: 1, status: "failed" };
  if (failure.startsWith("429") || mutation !== "non_idempotent") return again;
  return /^\d/.test(failure) ? { calls: 1, status: "failed" } : { calls: 1, status: "outcome_unknown" };
}

test("each mutation and each failure: what is tried again, what is not, and what is told as unknown", async (t) => {
  const calls = new Map<string, number>();
  const server = createServer(async (request, response) => {
    await buffer(request);
    const at = decodeURIComponent(request.url!.slice(1));
    const count = (calls.get(at) ?? 0) + 1;
    calls.set(at, count);
    if (count > 1) response.writeHead(200, { "content-type": "application/json" }).end("{}");
    else failures[at.split("/")[1]!]!(response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const world = await startConnectors();
  t.teardown(async () => {
    await world.close();
    server.closeAllConnections();
    server.close();
  });
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { id: provider_config_id } = await world.call<{ id: string }>(
    "ProviderConfigService.CreateProviderConfig",
    { name: "calls", provider_key: "http", auth: "none", config: { base_url } },
  );
  await world.call("ProviderConfigService.ActivateProviderConfig", { provider_config_id });
  const session = await world.call<{ id: string; connection_id: string }>(
    "ConnectSessionService.CreateConnectSession",
    { provider_config_id },
  );
  await world.call("ConnectSessionService.SubmitConnectSession", {
    connect_session_id: session.id,
    fields: {},
  });
  const { connection_id } = session;
  const table = (Object.keys(methods) as Mutation[]).flatMap((mutation) =>
    Object.keys(failures).map((failure) => ({ mutation, failure })),
  );
  await Promise.all(
    table.map(async ({ mutation, failure }) => {
      const at = `${mutation}/${failure}`;
      const input = { url: `/${encodeURIComponent(at)}`, method: methods[mutation] };
      const { status: ended, attempts } = await executed(world, {
        key: "http.request",
        connection_id,
        input,
      });
      const wanted = expected(mutation, failure);
      t.deepEqual({ calls: calls.get(at), status: ended }, wanted, at);
      t.is(attempts, wanted.calls, at);
    }),
  );
});
