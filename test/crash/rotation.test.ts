/** A real process killed while it seals connections anew; `ROTATED=10000` for the whole of it. */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { type RunningService, runService, startDev } from "../process/support.ts";
import { eventually } from "../support/eventually.ts";
import { listen } from "../support/oidc.ts";

type Message = Record<string, unknown>;

const count = Number(process.env.ROTATED ?? 60);
const at = "/api/v2/connector";

test("kill -9 during a rotation: run again, it leaves nothing under the old key, and every credential opens", async (t) => {
  t.timeout(900_000);
  const folder = await mkdtemp(join(tmpdir(), "switchyard.rotation-"));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const bearers = new Set<string | undefined>();
  const base_url = await listen(t, (request, response) => {
    bearers.add(request.headers.authorization);
    response.end("{}");
  });
  const [old, next] = [randomBytes(32), randomBytes(32)].map((key) => key.toString("base64"));
  let service: RunningService;
  const start = async (keys: Readonly<Record<string, string>>) => {
    const settings = { ...keys, "storage.dir": `${folder}/data` };
    const set = Object.entries(settings).flatMap(([name, value]) => ["--set", `${name}=${value}`]);
    service = await startDev(t, set);
  };
  const kill = async () => {
    service.signal("SIGKILL");
    await service.ended;
  };
  const call = async (plane: "http" | "internal", method: string, path: string, body?: object) => {
    const answer = await fetch(`http://127.0.0.1:${service.ports[plane]}${at}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    });
    const read = (await answer.json()) as { data?: Message } & Message;
    if (!answer.ok) throw new Error(JSON.stringify(read));
    return (Array.isArray(read.data) ? read : (read.data ?? read)) as Message;
  };

  await start({ "connector.encryption_key": old!, "connector.encryption_key_id": "k1" });
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

  await kill();
  const rotation = {
    "connector.encryption_key": next!,
    "connector.encryption_key_id": "k2",
    "connector.rotation_keys": `k1=${old}`,
  };
  await start(rotation);
  const page_size = Math.max(1, Math.min(100, Math.floor(count / 6)));
  let page_token = "";
  for (let page = 0; page < 4; page++) {
    const rotated = await call("internal", "POST", "/encryption:rotate", { page_size, page_token });
    page_token = rotated.next_page_token as string;
  }
  const under = call("internal", "POST", "/encryption:rotate", { page_size, page_token }).catch(
    () => undefined,
  );
  await kill();
  await under;
  await start(rotation);
  const half = await counts();
  t.true(half.k1! > 0, JSON.stringify(half));

  const addr = `127.0.0.1:${service!.ports.internal}`;
  const { code, stdout, stderr } = await runService(["connector", "rotate", "--addr", addr]);
  t.is(code, 0, stderr);
  const ended = await eventually("none is counted under the old key", async () => {
    const now = await counts();
    return now.k1 === 0 ? now : undefined;
  });
  t.deepEqual(ended, { k1: 0, k2: count });

  // Without the old key everything still opens.
  await kill();
  await start({ "connector.encryption_key": next!, "connector.encryption_key_id": "k2" });
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
