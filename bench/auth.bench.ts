// What does an API key cost a durable route, and what do 5,000 bad keys a second do to the good ones?
import { Agent, request } from "node:http";
import { makeServiceToken } from "#gateway";
import { defineBench, type Figures } from "./support/bench.ts";
import { inFolder } from "./support/folder.ts";
import { keepAliveLoad, type Target } from "./support/keep-alive.ts";
import { median } from "./support/result.ts";
import { type BenchService, startService } from "./support/service.ts";

const connections = 64;
const turns = 7;
const seconds = 2;
const warmSeconds = 20;
const badKeysPerSecond = 5_000;
const body = JSON.stringify({ key: "customer-17", attributes: { region: "eu", tier: "gold" } });
const secret = "a secret for benches, of 32 bytes or more";
const tenant = "00000000000000000000000DEV";

export default defineBench({
  question:
    "How fast is a durable route with an API key against one without authentication, and what do 5,000 bad keys a second do to its p99?",
  contenders: { keyed: compare },
  bars: [{ figure: "ratio", contender: "keyed", atLeast: 0.85 }],
});

/** Both services side by side, asked in turns, so that whatever else the machine does meets both alike. */
function compare(): Promise<Figures> {
  return inFolder((openDir) =>
    inFolder(async (keyedDir) => {
      const open = await startService(openDir);
      const keyed = await startService(keyedDir, [
        "auth.enabled=true",
        "auth.api_key_enabled=true",
        `internal.token_secret=${secret}`,
      ]);
      const headers = { "x-api-key": await makeKey(keyed) };
      const without = await targetOf(open, {});
      const withKey = await targetOf(keyed, headers);
      for (const target of [without, withKey]) await keepAliveLoad(target, connections, warmSeconds);
      const runs: { readonly without: Figures; readonly withKey: Figures }[] = [];
      for (let turn = 0; turn < turns; turn++)
        runs.push({
          without: await keepAliveLoad(without, connections, seconds),
          withKey: await keepAliveLoad(withKey, connections, seconds),
        });
      const flood = startFlood(keyed.ports.http);
      const flooded: Figures[] = [];
      for (let turn = 0; turn < turns; turn++)
        flooded.push(await keepAliveLoad(withKey, connections, seconds));
      const floodPerSecond = flood.stop() / (turns * seconds);
      await open.stop();
      await keyed.stop();
      return {
        ratio: median(runs.map((run) => run.withKey.per_s! / run.without.per_s!)),
        without_per_s: median(runs.map((run) => run.without.per_s!)),
        keyed_per_s: median(runs.map((run) => run.withKey.per_s!)),
        keyed_p99_ms: median(runs.map((run) => run.withKey.p99_ms!)),
        flooded_p99_ms: median(flooded.map((run) => run.p99_ms!)),
        bad_keys_per_s: floodPerSecond,
      };
    }),
  );
}

async function targetOf(service: BenchService, headers: Record<string, string>): Promise<Target> {
  const pool = await service.createPool(100, headers);
  return { pid: service.pid, port: service.ports.http, path: `/api/pools/${pool}:route`, body, headers };
}

async function makeKey({ ports }: BenchService): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${ports.internal}/api/v2/api-keys`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${await makeServiceToken({ secret, subject: "bench" })}`,
      "x-tenant-id": tenant,
    },
    body: JSON.stringify({ name: "bench", roles: ["admin"] }),
  });
  const { data } = (await response.json()) as { data?: { secret: string } };
  if (data === undefined) throw new Error(`no key: ${response.status}`);
  return data.secret;
}

/** Bad keys at a fixed rate, however slowly they are refused. */
function startFlood(port: number): { stop(): number } {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  let sent = 0;
  const timer = setInterval(() => {
    for (let i = 0; i < badKeysPerSecond / 100; i++) {
      const key = `sy_01ARZ3NDEKTSV4RRFFQ69G5FAV_${String(sent++).padStart(43, "0")}`;
      const options = { host: "127.0.0.1", port, path: "/api/pools", agent, headers: { "x-api-key": key } };
      request(options, (response) => response.resume())
        .on("error", () => undefined)
        .end();
    }
  }, 10);
  return {
    stop() {
      clearInterval(timer);
      agent.destroy();
      return sent;
    },
  };
}
