import { type Clock, limits } from "#base";
import type { RateBucket, RateLimiter, Taken } from "../calls/stages/token-bucket.ts";

/** What a thread asks of a shared bucket: `needed` or nothing, and up to `wanted`. */
export interface Wish extends RateBucket {
  readonly needed: number;
  readonly wanted: number;
}

export interface Granted {
  /** The place of the bucket that has less than is needed: then none of them has given anything. */
  readonly refused?: number;
  readonly retryAfterMs: number;
  readonly buckets: readonly { readonly granted: number; readonly left: number }[];
}

/** Tokens of one shared bucket that this thread may spend until `endsMs`. */
interface Lease {
  tokens: number;
  endsMs: number;
  /** Since it began. */
  spent: number;
  /** In the shared bucket, when it was last asked. */
  left: number;
  refusal: { readonly cost: number; readonly untilMs: number; readonly retryAtMs: number } | undefined;
  asking: Promise<void> | undefined;
}

/**
 * Spends tokens that a shared limiter has handed over, so that most calls do not ask it. A lease is short, and as large as what the
 * thread has just spent suggests; what is not spent in time is lost, so that all threads together never spend more than
 * the buckets hold. Calls that come while a bucket is asked wait for that answer.
 */
export function leasedRateLimiter(
  clock: Clock,
  ask: (wishes: readonly Wish[]) => Promise<Granted>,
): RateLimiter {
  const leases = new Map<string, Lease>();
  return { take };

  function take(buckets: readonly RateBucket[], cost: number): Taken | Promise<Taken> {
    const nowMs = clock.monotonic();
    const held = buckets.map((bucket) => ({ bucket, lease: leaseOf(bucket.name, nowMs) }));
    const short = held.filter(({ lease }) => lease.tokens < cost);
    if (short.length === 0) return spend(held, cost);
    const refused = short.find(({ lease }) => isRefused(lease, cost, nowMs));
    if (refused !== undefined) return refusalOf(refused, nowMs);
    return more(short, cost).then(() => take(buckets, cost));
  }

  /** Resolves when it is worth trying again. */
  function more(short: readonly Held[], cost: number): Promise<void> {
    const underWay = short.find(({ lease }) => lease.asking !== undefined)?.lease.asking;
    if (underWay !== undefined) return underWay;
    const asking = askFor(short, cost).finally(() => {
      for (const { lease } of short) lease.asking = undefined;
    });
    for (const { lease } of short) lease.asking = asking;
    return asking;
  }

  async function askFor(short: readonly Held[], cost: number): Promise<void> {
    const from = clock.monotonic();
    const { refused, retryAfterMs, buckets } = await ask(short.map((one) => wishOf(one, cost, from)));
    const nowMs = clock.monotonic();
    for (const [i, { granted, left }] of buckets.entries()) {
      const { lease } = short[i]!;
      lease.left = left;
      lease.tokens += granted;
      lease.spent = 0;
      lease.endsMs = nowMs + limits.rateLeaseMs;
    }
    if (refused === undefined) return;
    const untilMs = nowMs + Math.min(retryAfterMs, limits.rateLeaseMs);
    short[refused]!.lease.refusal = { cost, untilMs, retryAtMs: nowMs + retryAfterMs };
  }

  function leaseOf(name: string, nowMs: number): Lease {
    let lease = leases.get(name);
    if (lease === undefined) {
      lease = { tokens: 0, endsMs: 0, spent: 0, left: 0, refusal: undefined, asking: undefined };
      leases.set(name, lease);
      if (leases.size > limits.rateBucketsMax) leases.delete(leases.keys().next().value!);
    } else if (nowMs >= lease.endsMs) lease.tokens = 0;
    return lease;
  }
}

interface Held {
  readonly bucket: RateBucket;
  readonly lease: Lease;
}

/** A thread that has spent its lease before the end wants twice as much, up to what the bucket gets in the time of a lease. */
function wishOf({ bucket, lease }: Held, cost: number, nowMs: number): Wish {
  const needed = cost - lease.tokens;
  const most = Math.floor((bucket.tokensPerSecond * limits.rateLeaseMs) / 1_000);
  const wanted = nowMs < lease.endsMs ? lease.spent * 2 : lease.spent;
  return { ...bucket, needed, wanted: Math.max(needed, Math.min(wanted, most)) };
}

function spend(held: readonly Held[], cost: number): Taken {
  let tightest: Held | undefined;
  for (const one of held) {
    one.lease.tokens -= cost;
    one.lease.spent += cost;
    if (tightest === undefined || remainingOf(one) < remainingOf(tightest)) tightest = one;
  }
  const { tokensPerSecond } = tightest!.bucket;
  return { allowed: true, tokensPerSecond, remaining: remainingOf(tightest!), retryAfterMs: 0 };
}

function remainingOf({ lease }: Held): number {
  return Math.floor(lease.tokens + lease.left);
}

/** The shared bucket had too little for less than this a moment ago. */
function isRefused({ refusal }: Lease, cost: number, nowMs: number): boolean {
  return refusal !== undefined && nowMs < refusal.untilMs && cost >= refusal.cost;
}

function refusalOf({ bucket, lease }: Held, nowMs: number): Taken {
  return {
    allowed: false,
    tokensPerSecond: bucket.tokensPerSecond,
    remaining: remainingOf({ bucket, lease }),
    retryAfterMs: Math.ceil(lease.refusal!.retryAtMs - nowMs),
  };
}
