// What does an API key cost a durable route, and what do 5,000 bad keys a second do to the good ones?
import { connect, type Socket } from "node:net";
import { makeServiceToken } from "#gateway";
import { defineBench, type Stats } from "./support/bench.ts";
import { inFolder } from "./support/folder.ts";
import { keepAliveAt, keepAliveLoad, type Target } from "./support/keep-alive.ts";
import { median } from "./support/result.ts";
import { type BenchService, startService } from "./support/service.ts";

const connections = 64;
const turns = 7;
const seconds = 2;
const warmSeconds = 20;
const badKeysPerSecond = 5_000;
const floodConnections = 128;
/** Share of the peak rate that valid callers use while bad keys arrive. */
const share = 0.3;
const body = JSON.stringify({ key: "customer-17", attributes: { region: "eu", tier: "gold" } });
const secret = "a secret for benches, of 32 bytes or more";
const tenant = "00000000000000000000000DEV";

export default defineBench({
  question:
    "How fast is a durable route with an API key against one without authentication, and what do 5,000 bad keys a second do to its p99?",
  contenders: { keyed: compare },
  bars: [
    { figure: "ratio", contender: "keyed", atLeast: 0.85 },
    { figure: "flooded_p99_ratio", contender: "keyed", atMost: 1.5 },
  ],
});

/** Both services run side by side and are asked in turns, so that other load on the machine affects both alike. */
function compare(): Promise<Stats> {
  return inFolder((openDir) =>
    inFolder(async (keyedDir) => {
      const open = await startService(openDir);
      const keyed = await startService(keyedDir, [
        "auth.enabled=true",
        "auth.api_key_enabled=true",
        "log.level=error",
        `internal.token_secret=${secret}`,
      ]);
      const headers = { "x-api-key": await makeKey(keyed) };
      const without = await targetOf(open, {});
      const withKey = await targetOf(keyed, headers);
      for (const target of [without, withKey]) await keepAliveLoad(target, connections, warmSeconds);
      const runs: { readonly without: Stats; readonly withKey: Stats }[] = [];
      for (let turn = 0; turn < turns; turn++)
        runs.push({
          without: await keepAliveLoad(without, connections, seconds),
          withKey: await keepAliveLoad(withKey, connections, seconds),
        });
      const rate = Math.floor(share * median(runs.map((run) => run.withKey.per_s!)));
      const pairs: { readonly quiet: Stats; readonly flooded: Stats; readonly badPerSecond: number }[] = [];
      for (let turn = 0; turn < turns; turn++) {
        const quiet = await keepAliveAt(withKey, connections, rate, seconds);
        const flood = startFlood(keyed.ports.http);
        const flooded = await keepAliveAt(withKey, connections, rate, seconds);
        pairs.push({ quiet, flooded, badPerSecond: flood.stop() });
      }
      await open.stop();
      await keyed.stop();
      return {
        ratio: median(runs.map((run) => run.withKey.per_s! / run.without.per_s!)),
        cpu_ratio: median(runs.map((run) => run.without.server_cpu_us! / run.withKey.server_cpu_us!)),
        without_per_s: median(runs.map((run) => run.without.per_s!)),
        keyed_per_s: median(runs.map((run) => run.withKey.per_s!)),
        flooded_p99_ratio: median(pairs.map(({ quiet, flooded }) => flooded.p99_ms! / quiet.p99_ms!)),
        quiet_p99_ms: median(pairs.map(({ quiet }) => quiet.p99_ms!)),
        flooded_p99_ms: median(pairs.map(({ flooded }) => flooded.p99_ms!)),
        valid_per_s: rate,
        bad_keys_per_s: median(pairs.map(({ badPerSecond }) => badPerSecond)),
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

/**
 * Bad keys at a fixed rate. A connection sends the next one after its answer; some wait for a hash, so there are many
 * connections.
 */
function startFlood(port: number): { stop(): number } {
  const startedMs = performance.now();
  const free: Socket[] = [];
  const sockets: Socket[] = [];
  let sent = 0;
  let answered = 0;
  for (let i = 0; i < floodConnections; i++) {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true }, () => free.push(socket));
    socket.on("data", () => {
      answered++;
      free.push(socket);
    });
    socket.on("error", () => undefined);
    sockets.push(socket);
  }
  const timer = setInterval(() => {
    // By the clock: a timer that is late sends all that are due.
    const due = ((performance.now() - startedMs) / 1_000) * badKeysPerSecond;
    while (sent < due && free.length > 0) {
      const key = `sy_01ARZ3NDEKTSV4RRFFQ69G5FAV_${String(sent++).padStart(43, "0")}`;
      free.pop()!.write(`GET /api/pools HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nx-api-key: ${key}\r\n\r\n`);
    }
  }, 5);
  return {
    /** Answers a second. */
    stop() {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
      return (answered * 1_000) / (performance.now() - startedMs);
    },
  };
}
