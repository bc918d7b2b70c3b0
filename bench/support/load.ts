import type { Stats } from "./bench.ts";

/** Keeps `inFlight` calls under way for `seconds`, after a warm-up of a second by default; every call is timed. */
export async function closedLoop(
  inFlight: number,
  seconds: number,
  call: (client: number) => Promise<void>,
  warmSeconds = 1,
): Promise<Stats> {
  const warmUntil = performance.now() + warmSeconds * 1_000;
  const until = warmUntil + seconds * 1_000;
  const latencies: number[] = [];
  await Promise.all(
    Array.from({ length: inFlight }, async (_, client) => {
      for (let start = performance.now(); start < until; ) {
        await call(client);
        const end = performance.now();
        if (start >= warmUntil) latencies.push(end - start);
        start = end;
      }
    }),
  );
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor((latencies.length - 1) * share)] ?? Number.NaN;
  return { per_s: latencies.length / seconds, p50_ms: at(0.5), p99_ms: at(0.99) };
}
