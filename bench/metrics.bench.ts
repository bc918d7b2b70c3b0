// How much processor time does counting a call take with prom-client, against plain numbers that are found by the method?
import assert from "node:assert/strict";
import { Metrics } from "../gateway/telemetry/metrics.ts";
import { defineBench, type Stats } from "./support/bench.ts";

const calls = 2_000_000;
const methods = Array.from({ length: 8 }, (_, n) => ({ name: `PoolService.Method${n}` }));
const bounds = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000];

export default defineBench({
  question:
    "How much processor time does counting a call (its duration by method and code, its credentials by kind) take with prom-client?",
  contenders: { plain, prom_client: promClient },
  rounds: 5,
});

/** Counts and sums in arrays, found by what is at hand. */
async function plain(): Promise<Stats> {
  const byCode = new Map([["OK", new Map<Method, { counts: Float64Array; sumMs: number }>()]]);
  const accepted = { api_key: { value: 0 } };
  const stats = timed((method, ms) => {
    const byMethod = byCode.get("OK")!;
    const series = byMethod.get(method) ?? { counts: new Float64Array(bounds.length + 1), sumMs: 0 };
    byMethod.set(method, series);
    let bucket = 0;
    while (bucket < bounds.length && ms > bounds[bucket]!) bucket++;
    series.counts[bucket]!++;
    series.sumMs += ms;
    accepted.api_key.value++;
  });
  assert.ok(accepted.api_key.value >= calls);
  return stats;
}

/** As gateway/telemetry does it. */
async function promClient(): Promise<Stats> {
  const metrics = new Metrics();
  const stats = timed(({ name }, ms) => {
    const labels = { method: name, protocol: "rest", plane: "external", code: "OK" };
    metrics.observe("service_request_duration_seconds", ms, labels);
    metrics.add("service_credentials_accepted_total", { plane: "external", kind: "api_key" });
  });
  const [credentials] = (await metrics.snapshot()).filter(({ name }) => name.includes("credentials"));
  assert.ok(credentials!.values[0]!.value! >= calls);
  return stats;
}

interface Method {
  readonly name: string;
}

function timed(count: (method: Method, ms: number) => void): Stats {
  const run = (times: number) => {
    for (let n = 0; n < times; n++) count(methods[n & 7]!, (n & 1_023) / 16);
  };
  run(calls / 10);
  const before = process.cpuUsage();
  run(calls);
  const { user, system } = process.cpuUsage(before);
  return { cpu_us: (user + system) / calls };
}
