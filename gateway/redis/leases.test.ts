import test from "ava";
import { limits, systemClock } from "#base";
import type { RateBucket, Taken } from "../calls/stages/token-bucket.ts";
import { type Granted, leasedRateLimiter, type Wish } from "./leases.ts";

/** A bucket that is shared and never refills, and a clock that only the test moves. */
function sharedBucket(tokens: number) {
  const shared = { tokens, asked: 0, nowMs: 0 };
  const clock = { ...systemClock, monotonic: () => shared.nowMs };
  const ask = async ([wish]: readonly Wish[]): Promise<Granted> => {
    shared.asked++;
    const { needed, wanted } = wish!;
    if (shared.tokens < needed)
      return { refused: 0, retryAfterMs: 60_000, buckets: [{ granted: 0, left: shared.tokens }] };
    const granted = Math.min(wanted, shared.tokens);
    shared.tokens -= granted;
    return { retryAfterMs: 0, buckets: [{ granted, left: shared.tokens }] };
  };
  return { shared, thread: () => leasedRateLimiter(clock, ask) };
}

const bucket: readonly RateBucket[] = [{ name: "m", tokensPerSecond: 10_000 }];

async function takeMany(limiter: { take: ReturnType<typeof leasedRateLimiter>["take"] }, times: number) {
  const taken: Taken[] = [];
  for (let i = 0; i < times; i++) taken.push(await limiter.take(bucket, 1));
  return taken.filter(({ allowed }) => allowed).length;
}

test("a busy thread asks once for many calls", async (t) => {
  const { shared, thread } = sharedBucket(10_000);
  t.is(await takeMany(thread(), 5_000), 5_000);
  t.true(shared.asked < 20, `${shared.asked} questions`);
});

test("threads spend no more than there is, and all of it while their leases last", async (t) => {
  const { thread } = sharedBucket(1_000);
  const allowed = await Promise.all([thread(), thread(), thread()].map((one) => takeMany(one, 1_000)));
  t.is(
    allowed.reduce((sum, one) => sum + one),
    1_000,
  );
});

test("what is not spent before the lease ends is lost, not spent late", async (t) => {
  const { shared, thread } = sharedBucket(1_000);
  const one = thread();
  await takeMany(one, 100);
  shared.tokens = 0;
  shared.nowMs += limits.rateLeaseMs;
  t.is(await takeMany(one, 10), 0);
});

test("calls that come together wait for one answer", async (t) => {
  const { shared, thread } = sharedBucket(10);
  const one = thread();
  const taken = await Promise.all(Array.from({ length: 30 }, () => one.take(bucket, 1)));
  t.is(taken.filter(({ allowed }) => allowed).length, 10);
  t.true(shared.asked <= 12, `${shared.asked} questions`);
});

test("a refusal is known for as long as a lease, with the time that the bucket told", async (t) => {
  const { shared, thread } = sharedBucket(0);
  const one = thread();
  t.like(await one.take(bucket, 1), { allowed: false, retryAfterMs: 60_000 });
  shared.nowMs += limits.rateLeaseMs - 1;
  t.like(await one.take(bucket, 1), { allowed: false, retryAfterMs: 60_000 - limits.rateLeaseMs + 1 });
  t.is(shared.asked, 1);
  shared.nowMs += 1;
  await one.take(bucket, 1);
  t.is(shared.asked, 2);
});

test("who cannot be asked refuses every call that waits, and is asked again by the next", async (t) => {
  let up = false;
  const one = leasedRateLimiter(systemClock, async () => {
    if (!up) throw new Error("gone");
    return { retryAfterMs: 0, buckets: [{ granted: 1, left: 5 }] };
  });
  const waiting = Array.from({ length: 3 }, async () => one.take(bucket, 1));
  for (const call of waiting) await t.throwsAsync(call, { message: "gone" });
  up = true;
  t.like(await one.take(bucket, 1), { allowed: true, remaining: 5 });
});
