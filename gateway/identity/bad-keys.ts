import { type Clock, limits, type RefusalError, refusalError } from "#base";

/**
 * Limits keys that turn out bad, before they cost a hash: a token bucket for every source address. A key takes a token when
 * it is looked at, and gives it back when it was good.
 */
export class BadKeys {
  readonly #clock: Clock;
  readonly #levels = new Map<string, { tokens: number; atMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Throws where this source has none left. Returns what gives the token back. */
  take(address: string): () => void {
    const source = sourceOf(address);
    const nowMs = this.#clock.monotonic();
    const level = this.#levels.get(source) ?? { tokens: limits.badKeysAtOnce, atMs: nowMs };
    const gained = ((nowMs - level.atMs) / 1_000) * limits.badKeysPerSecond;
    level.tokens = Math.min(limits.badKeysAtOnce, level.tokens + gained);
    level.atMs = nowMs;
    // Set again, so that the first one is the one that was used longest ago.
    this.#levels.delete(source);
    this.#levels.set(source, level);
    if (this.#levels.size > limits.badKeySourcesMax) this.#levels.delete(this.#levels.keys().next().value!);
    if (level.tokens < 1) throw tooMany((1 - level.tokens) / limits.badKeysPerSecond);
    level.tokens--;
    return () => {
      level.tokens++;
    };
  }
}

function tooMany(seconds: number): RefusalError {
  const options = { reason: "RATE", retryAfterMs: Math.ceil(seconds * 1_000) };
  return refusalError("RATE_LIMITED", "too many keys from this address were not valid", options);
}

/** One customer has 64 bits of IPv6: all of their addresses are one source. */
export function sourceOf(address: string): string {
  if (!address.includes(":") || /^(::|(0+:){5})ffff:/i.test(address)) return address;
  const [head = "", tail] = address.split("::");
  const groups = head.split(":");
  if (tail === undefined) return groups.slice(0, 4).join(":");
  const after = tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - after.length) }, () => "0");
  return [...groups, ...zeros, ...after].slice(0, 4).join(":");
}
