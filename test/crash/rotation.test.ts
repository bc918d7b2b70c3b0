/** A real process is killed while it re-encrypts connections under a new key; `ROTATED=10000` is the full size. */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { promisify } from "node:util";
import test from "ava";
import { eventually } from "../support/eventually.ts";
import { listen } from "../support/oidc.ts";
import { Server } from "./server.ts";

const run = promisify(execFile);

type Message = Record<string, unknown>;

const count = Number(process.env.ROTATED ?? 60);
const at = "/api/v2/connector";

test("kill -9 during a key rotation: a second run leaves nothing under the old key, and every credential can be decrypted", async (t) => {
  t.timeout(900_000);
  const server = new Server();
  t.teardown(() => server.remove());
  const bearers = new Set<string | undefined>();
  const base_url = await listen(t, (request, response) => {
    bearers.add(request.headers.authorization);
    response.end("{}");
  });
  const [old, next] = [randomBytes(32), randomBytes(32)].map((key) => key.toString("base64"));
  const call = async (plane: "http" | "internal", method: string, path: string, body?: object) => {
    const url = plane === "http" ? server.url : server.internalUrl;
    const answer = await fetch(`${url}${at}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    });
    const read = (await answer.json()) as { data?: Message } & Message;
    if (!answer.ok) throw new Error(JSON.stringify(read));
    return (Array.isArray(read.data) ? read : (read.data ?? read)) as Message;
  };

  await server.start([`connector.encryption_key=${old}`, "connector.encryption_key_id=k1"]);
  const config = { name: "calls", provider_key: "http", auth: "api_key", config: { base_url } };
  const { id: provider_config_id } = await call("http", "POST", "/provider-configs", config);
  await call("http", "POST", `/provider-configs/${provider_config_id}:activate`, {});
  const connections: string[] = [];
  let made = 0;
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      while (made < count) {
        const api_key = `key-${made++}`;
        const session = await call("http", "POST", "/connect-sessions", { provider_config_id });
        await call("http", "POST", `/connect-sessions/${session.id}/submit`, { fields: { api_key } });
        connections.push(session.connection_id as string);
      }
    }),
  );
  const counts = async (): Promise<Record<string, number>> => {
    const { keys } = await call("internal", "GET", "/encryption");
    const known = keys as { key_id: string; connections: number }[];
    return Object.fromEntries(known.map((key) => [key.key_id, key.connections]));
  };
  await eventually("all are listed", async () => (await counts()).k1 === count || undefined);

  await server.kill();
  const active = [`connector.encryption_key=${next}`, "connector.encryption_key_id=k2"];
  const rotation = [...active, `connector.rotation_keys=k1=${old}`];
  await server.start(rotation);
  const page_size = Math.max(1, Math.min(100, Math.floor(count / 6)));
  let page_token = "";
  for (let page = 0; page < 4; page++) {
    const rotated = await call("internal", "POST", "/encryption:rotate", { page_size, page_token });
    page_token = rotated.next_page_token as string;
  }
  const under = call("internal", "POST", "/encryption:rotate", { page_size, page_token }).catch(
    () => undefined,
  );
  await server.kill();
  await under;
  await server.start(rotation);
  const half = await counts();
  t.true(half.k1! > 0, JSON.stringify(half));

  const addr = server.internalUrl.replace("http://", "");
  const { stdout } = await run(process.execPath, [
    "dist/cli/service.js",
    "connector",
    "rotate",
    "--addr",
    addr,
  ]);
  const ended = await eventually("none is counted under the old key", async () => {
    const now = await counts();
    return now.k1 === 0 ? now : undefined;
  });
  t.deepEqual(ended, { k1: 0, k2: count });

  // Without the old key everything can still be decrypted.
  await server.kill();
  await server.start(active);
  const executed = connections.slice(0, 500);
  await Promise.all(
    Array.from({ length: 16 }, async (_, lane) => {
      for (let n = lane; n < executed.length; n += 16) {
        const request = { connection_id: executed[n], input: { url: "/" }, wait_seconds: 25 };
        const { status } = await call("http", "POST", "/actions/http.request:execute", request);
        t.is(status, "succeeded");
      }
    }),
  );
  t.is(bearers.size, executed.length);
  t.log(`${count} connections, killed with ${half.k1} under the old key; then: ${stdout.trim()}`);
});
