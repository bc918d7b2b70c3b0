// What does validating a 1 KiB body cost on top of parsing it?
import { loadContract } from "../gateway/contract/index.ts";
import { defineBench, type Stats } from "./support/bench.ts";

const seconds = 3;
const body = JSON.stringify({
  name: "a".repeat(100),
  description: "d".repeat(740),
  strategy: "round_robin",
  config: {
    lease_seconds: 30,
    max_depth: 1_000,
    backoff: { initial_ms: 1_000, max_ms: 60_000, multiplier: 2 },
    priority: { bands: 5 },
  },
});

export default defineBench({
  question: "How many 1 KiB bodies a second are parsed and validated, against parsing alone?",
  contenders: { validated, parsed },
  bars: [{ figure: "per_s", contender: "validated", against: "parsed", atLeast: 0.4 }],
});

async function validated(): Promise<Stats> {
  const { validate } = loadContract().byName.get("PoolService.CreatePool")!;
  return rateOf(() => {
    if (validate(JSON.parse(body)) !== undefined) throw new Error("the body is not valid");
  });
}

async function parsed(): Promise<Stats> {
  return rateOf(() => {
    if (JSON.parse(body) === null) throw new Error("the body is null");
  });
}

/** Calls in a row on one thread, counted after a second of warm-up. */
function rateOf(call: () => void): Stats {
  const warmUntil = performance.now() + 1_000;
  while (performance.now() < warmUntil) for (let i = 0; i < 1_000; i++) call();
  const start = performance.now();
  let calls = 0;
  while (performance.now() - start < seconds * 1_000) {
    for (let i = 0; i < 1_000; i++) call();
    calls += 1_000;
  }
  return { per_s: (calls * 1_000) / (performance.now() - start) };
}
