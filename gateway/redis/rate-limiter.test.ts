import test from "ava";
import { systemClock } from "#base";
import { eventually } from "../../test/support/eventually.ts";
import { casesNeeding } from "../../test/support/needing.ts";
import { RedisServer } from "../../test/support/redis.ts";
import { localRateLimiter, type RateBucket } from "../calls/stages/token-bucket.ts";
import { redisRateLimiter } from "./index.ts";

casesNeeding("limits in a real Redis", ["redis"], cases);

function cases(): void {
  const server = new RedisServer();
  test.before(() => server.start());
  test.after.always(() => server.remove());

  /** As one thread of one node has it. */
  async function limiter(t: { teardown(fn: () => void): void }, keyPrefix: string) {
    const changes: boolean[] = [];
    const opened = await redisRateLimiter({
      settings: { url: server.url, timeoutMs: 2_000, keyPrefix },
      onChange: (isUp) => changes.push(isUp),
    });
    t.teardown(() => opened.close());
    return Object.assign(opened, { changes });
  }

  // A bucket that refills once in hours: what passes does not depend on how long the test takes.
  const slow = (name: string, tokensPerSecond = 0.0001): RateBucket => ({ name, tokensPerSecond });

  test.serial("two nodes share a bucket: together they get what it holds, and no more", async (t) => {
    const [a, b] = [await limiter(t, "shared:"), await limiter(t, "shared:")];
    const bucket = [{ name: "Probe.Keep", tokensPerSecond: 50 }];
    const taken = await Promise.all(Array.from({ length: 400 }, (_, i) => (i % 2 ? a : b).take(bucket, 5)));
    const allowed = taken.filter((one) => one.allowed).length;
    t.true(allowed >= 10, "ten of cost five empty a bucket of fifty");
    t.true(allowed < 200, "and it does not refill that fast");
    const refused = taken.find((one) => !one.allowed)!;
    t.is(refused.tokensPerSecond, 50);
    t.true(refused.retryAfterMs >= 1 && refused.retryAfterMs <= 100, String(refused.retryAfterMs));
  });

  test.serial("it decides as the local one does", async (t) => {
    const shared = await limiter(t, "alike:");
    const local = localRateLimiter({ ...systemClock, monotonic: () => 0 });
    const steps: [cost: number, ...RateBucket[]][] = [
      [1, slow("a")],
      [1, slow("a")],
      [3, slow("b")],
      [1, slow("b"), slow("c")],
      [1, slow("c")],
      [1, slow("a"), slow("d")],
      [1, slow("d")],
    ];
    for (const [cost, ...buckets] of steps) {
      const { retryAfterMs, ...found } = await shared.take(buckets, cost);
      const { retryAfterMs: localMs, ...expected } = await local.take(buckets, cost);
      t.deepEqual(found, expected, JSON.stringify([cost, buckets]));
      // Redis's clock went on meanwhile.
      t.true(retryAfterMs <= localMs && retryAfterMs >= localMs * 0.9);
    }
  });

  test.serial("a call that one bucket refuses takes nothing from the others", async (t) => {
    const one = await limiter(t, "both:");
    t.true((await one.take([slow("m"), slow("m/t1")], 1)).allowed);
    // Only the tenant's bucket is new: the method's is empty.
    t.false((await one.take([slow("m"), slow("m/t2")], 1)).allowed);
    t.true((await one.take([slow("m/t2")], 1)).allowed, "the tenant's was not touched");
  });

  test.serial("installations with another prefix share nothing", async (t) => {
    const [a, b] = [await limiter(t, "one:"), await limiter(t, "two:")];
    t.true((await a.take([slow("m")], 1)).allowed);
    t.true((await b.take([slow("m")], 1)).allowed);
    t.false((await a.take([slow("m")], 1)).allowed);
  });

  test.serial("a script that Redis has forgotten is sent again", async (t) => {
    const one = await limiter(t, "forgotten:");
    t.true((await one.take([slow("m1")], 1)).allowed);
    const { Redis } = await import("ioredis");
    const other = new Redis(server.url);
    await other.script("FLUSH");
    other.disconnect();
    t.true((await one.take([slow("m2")], 1)).allowed);
    t.deepEqual(one.changes, []);
  });

  test.serial("a wrong password is told without being repeated", async (t) => {
    const { Redis } = await import("ioredis");
    const admin = new Redis(server.url);
    await admin.config("SET", "requirepass", "right");
    const told: unknown[] = [];
    const one = await redisRateLimiter({
      settings: { url: server.url.replace("//", "//:guessed@"), timeoutMs: 2_000, keyPrefix: "secured:" },
      onChange: (...change) => told.push(change),
    });
    await eventually("it is told", () => told[0]);
    one.close();
    t.false(one.isUp);
    t.regex(JSON.stringify(told), /WRONGPASS|NOAUTH/);
    t.false(JSON.stringify(told).includes("guessed"));
    await admin.config("SET", "requirepass", "");
    admin.disconnect();
  });

  test.serial("Redis killed: refused at once, told once, used again when it is back", async (t) => {
    const one = await limiter(t, "killed:");
    t.true(one.isUp);
    await server.stop();
    await eventually("the loss is noticed", () => one.changes[0] === false || undefined);
    for (let i = 0; i < 10; i++) await t.throwsAsync(async () => one.take([slow("m")], 1));
    t.deepEqual(one.changes, [false]);
    await server.start();
    await eventually("it is used again", () => one.isUp || undefined);
    t.true((await one.take([slow("m")], 1)).allowed);
    t.deepEqual(one.changes, [false, true]);
  });

  test.serial(
    "Redis paused: a few calls wait for the timeout, then none does, and it is used again",
    async (t) => {
      const changes: boolean[] = [];
      const one = await redisRateLimiter({
        settings: { url: server.url, timeoutMs: 200, keyPrefix: "paused:" },
        onChange: (isUp) => changes.push(isUp),
      });
      t.teardown(() => one.close());
      server.signal("SIGSTOP");
      t.teardown(() => server.signal("SIGCONT"));
      for (let i = 0; i < 50; i++) await t.throwsAsync(async () => one.take([slow("m")], 1));
      t.deepEqual(changes, [false]);
      server.signal("SIGCONT");
      await eventually("it is used again", () => changes.at(-1) || undefined);
      // Another bucket: what was asked for while it was paused, it has done since.
      t.true((await one.take([slow("other")], 1)).allowed);
    },
  );

  test.serial("a start without Redis is not held up, and Redis is used when it comes", async (t) => {
    await server.stop();
    const one = await limiter(t, "late:");
    t.false(one.isUp);
    await server.start();
    await eventually("it is used", () => one.isUp || undefined);
    t.deepEqual(one.changes, [false, true]);
  });
}
