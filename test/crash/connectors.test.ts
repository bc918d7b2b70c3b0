/** Real processes are killed while actions run that are not safe to repeat; a server counts the calls. */
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import test from "ava";
import { Random } from "#base";
import { startDev } from "../process/support.ts";
import { eventually } from "../support/eventually.ts";

const kills = Number(process.env.CONNECTOR_KILLS ?? 3);
const secret = "a-secret-that-is-nowhere-4711";

test("kill -9 under load: no payment is performed twice, every execution ends, and no secret is on disk", async (t) => {
  t.timeout(600_000);
  const dir = await mkdtemp(join(tmpdir(), "switchyard.connectors-"));
  const random = new Random("connectors");
  const calls = new Map<number, number>();
  const bearers = new Set<string | undefined>();
  const server = createServer(async (request, response) => {
    bearers.add(request.headers.authorization);
    const { n } = JSON.parse(await text(request)) as { n: number };
    calls.set(n, (calls.get(n) ?? 0) + 1);
    // Some are slow, so that kills hit them; some are cut off after they were performed.
    await sleep(random.chance(0.3) ? 100 : 1);
    if (random.chance(0.05)) request.socket.destroy();
    else response.end("{}");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(async () => {
    server.closeAllConnections();
    server.close();
    await rm(dir, { recursive: true, force: true });
  });
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const start = async () => {
    const service = await startDev(t, ["--set", `storage.dir=${dir}/data`, "--set", "server.workers=2"]);
    const call = async (method: string, path: string, body?: object): Promise<Answer> => {
      const answer = await fetch(`http://127.0.0.1:${service.ports.http}/api/v2/connector${path}`, {
        method,
        ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
      });
      const read = (await answer.json()) as { data?: Answer } & Answer;
      if (!answer.ok) throw new Error(JSON.stringify(read));
      return read.data === undefined || Array.isArray(read.data) ? read : read.data;
    };
    return { service, call };
  };

  let { service, call } = await start();
  const config = { name: "payments", provider_key: "http", auth: "api_key", config: { base_url } };
  const { id: provider_config_id } = await call("POST", "/provider-configs", config);
  await call("POST", `/provider-configs/${provider_config_id}:activate`, {});
  const session = await call("POST", "/connect-sessions", { provider_config_id });
  await call("POST", `/connect-sessions/${session.id}/submit`, { fields: { api_key: secret } });
  const { connection_id } = session;
  const numbers = new Map<string, number>();
  let next = 0;
  for (let kill = 0; kill < kills; kill++) {
    let stopped = false;
    const load = Array.from({ length: 16 }, async () => {
      for (let sent = 0; !stopped && sent < 20; sent++) {
        const n = next++;
        const input = { url: "/", method: "POST", body: { n } };
        try {
          const { id } = await call("POST", "/actions/http.request:execute", {
            connection_id,
            input,
            wait_seconds: 0,
          });
          numbers.set(id, n);
        } catch {
          await sleep(5);
        }
      }
    });
    const before = calls.size;
    await eventually("calls are under way", () => calls.size > before + 10 || undefined);
    await sleep(random.int(150));
    service.signal("SIGKILL");
    await service.ended;
    stopped = true;
    await Promise.all(load);
    ({ service, call } = await start());
  }

  const open = async () => {
    const totals = await Promise.all(
      ["queued", "running", "waiting"].map((status) =>
        call("GET", `/connections/${connection_id}/executions?limit=1&status=${status}`),
      ),
    );
    return totals.reduce((sum, { total = 0 }) => sum + total, 0);
  };
  await eventually("every execution has ended", async () => (await open()) === 0 || undefined);
  const statuses = new Map<string, number>();
  for (const [id, n] of numbers) {
    const { status } = await call("GET", `/executions/${id}`);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const performed = calls.get(n) ?? 0;
    if (performed > 1) t.fail(`${id} was performed ${performed} times`);
    if (status === "succeeded" && performed !== 1) t.fail(`${id} succeeded and was not performed`);
    if (status === "failed" && performed > 0) t.fail(`${id} failed and was performed`);
  }
  t.deepEqual(
    [...calls.values()].filter((times) => times > 1),
    [],
    "none doubled",
  );
  t.true((statuses.get("succeeded") ?? 0) > 0, JSON.stringify([...statuses]));
  t.deepEqual([...bearers], [`Bearer ${secret}`]);
  t.log(`${kills} kills, ${numbers.size} acknowledged: ${JSON.stringify(Object.fromEntries(statuses))}`);
  service.signal("SIGTERM");
  await service.ended;
  const forms = ["utf8", "base64", "hex"].map((form) =>
    Buffer.from(Buffer.from(secret).toString(form as BufferEncoding)),
  );
  for (const file of filesIn(dir)) {
    const bytes = readFileSync(file);
    for (const form of forms) t.false(bytes.includes(form), `${file} holds the secret`);
  }
});

interface Answer {
  readonly id: string;
  readonly connection_id: string;
  readonly status: string;
  readonly total?: number;
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}
