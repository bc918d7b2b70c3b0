// Does the time of an answer tell whether an API key exists?
import { randomBytes } from "node:crypto";
import { request } from "node:http";
import { makeServiceToken } from "#gateway";
import { defineBench, type Stats } from "./support/bench.ts";
import { inFolder } from "./support/folder.ts";
import { startService } from "./support/service.ts";

const samples = Number(process.env.BENCH_SAMPLES ?? 1_000);
const warm = 20;
const secret = "a secret for benches, of 32 bytes or more";

export default defineBench({
  question: "Does the time until a 401 tell a known key id with a wrong secret from an unknown key id?",
  contenders: { keys: compare },
  rounds: 1,
  bars: [{ figure: "welch_t", contender: "keys", atMost: 4.5 }],
});

/** Both kinds in turns, each from a separate source address, so that no limit on bad keys is reached. */
function compare(): Promise<Stats> {
  return inFolder(async (dir) => {
    const service = await startService(dir, [
      "auth.enabled=true",
      "auth.api_key_enabled=true",
      "log.level=error",
      `internal.token_secret=${secret}`,
    ]);
    const known = await makeKeyId(service.ports.internal);
    const times = { known: [] as number[], unknown: [] as number[] };
    for (let i = 0; i < warm + samples; i++)
      for (const kind of i % 2 === 0 ? (["known", "unknown"] as const) : (["unknown", "known"] as const)) {
        const id = kind === "known" ? known : unknownId();
        const ms = await refused(service.ports.http, i, `sy_${id}_${String(i).padStart(43, "x")}`);
        if (i >= warm) times[kind].push(ms);
      }
    await service.stop();
    const [one, other] = [statistics(times.known), statistics(times.unknown)];
    return {
      welch_t: Math.abs(one.mean - other.mean) / Math.sqrt((one.variance + other.variance) / samples),
      difference_ms: one.mean - other.mean,
      known_mean_ms: one.mean,
      unknown_mean_ms: other.mean,
      known_p50_ms: one.p50,
      unknown_p50_ms: other.p50,
      samples,
    };
  });
}

/** A new key each time: the service may remember that a key does not exist. */
function unknownId(): string {
  return `01ARZ3ND${randomBytes(9).toString("hex").toUpperCase()}`;
}

function statistics(times: readonly number[]) {
  const mean = times.reduce((sum, ms) => sum + ms, 0) / times.length;
  const variance = times.reduce((sum, ms) => sum + (ms - mean) ** 2, 0) / (times.length - 1);
  return { mean, variance, p50: times.toSorted((a, b) => a - b)[times.length >> 1]! };
}

function refused(port: number, i: number, key: string): Promise<number> {
  const localAddress = `127.1.${i >> 8}.${i & 255}`;
  const options = { host: "127.0.0.1", port, path: "/api/pools", localAddress, agent: false };
  return new Promise((resolve, reject) => {
    const sent = request({ ...options, headers: { "x-api-key": key } }, (response) => {
      const ms = performance.now() - startedMs;
      response.resume();
      if (response.statusCode === 401) resolve(ms);
      else reject(new Error(`answered ${response.statusCode}`));
    });
    sent.on("error", reject);
    let startedMs = 0;
    sent.on("socket", (socket) =>
      socket.once("connect", () => {
        startedMs = performance.now();
      }),
    );
    sent.end();
  });
}

async function makeKeyId(internal: number): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${internal}/api/v2/api-keys`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${await makeServiceToken({ secret, subject: "bench" })}`,
      "x-tenant-id": "00000000000000000000000DEV",
    },
    body: JSON.stringify({ name: "bench", roles: ["admin"] }),
  });
  const { data } = (await response.json()) as { data: { secret: string } };
  return data.secret.slice(3, 29);
}
