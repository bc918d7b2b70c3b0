import test from "ava";
import fc from "fast-check";
import { limits, Random } from "#base";
import { PoolBench } from "../../../test/support/pool.ts";
import { strategies } from "./record.ts";

test("invariant 3: every recorded decision runs again to the same recipient", (t) => {
  fc.assert(
    fc.property(
      fc.constantFrom(...strategies),
      fc.integer({ min: 1, max: 40 }),
      fc.integer(),
      (strategy, size, seed) => {
        const random = new Random(seed);
        const bench = new PoolBench({ strategy });
        const ids = bench.recipients(
          Array.from({ length: size }, () => ({
            weight: random.int(5),
            capacity: random.int(4),
            tier: random.int(3),
            labels: { side: random.pick(["a", "b"]) },
            skills: { go: random.int(4) },
          })),
        );
        const decided: string[] = [];
        for (let i = 0; i < 30; i++) {
          if (random.chance(0.1))
            bench.pool("RecipientService.PauseRecipient", { recipient_id: random.pick(ids) });
          if (random.chance(0.1))
            bench.pool("RecipientService.ResumeRecipient", { recipient_id: random.pick(ids) });
          const answers = bench.routes(
            Array.from({ length: 1 + random.int(3) }, () => ({
              key: `k${random.int(5)}`,
              reserve: random.chance(0.5),
              skills: random.chance(0.3) ? { go: 1 } : {},
              required_labels: random.chance(0.3) ? { side: "a" } : {},
            })),
          );
          if (Array.isArray(answers))
            for (const { routing } of answers) if (routing) decided.push(routing.id);
          bench.driver.now += random.int(1_000);
        }
        bench.driver.restart();
        for (const id of decided) {
          const { verification } = bench.router("RoutingService.GetRouting", {
            routing_id: id,
            verify: true,
          });
          t.like(verification, { matches: true, complete: true });
        }
      },
    ),
    { numRuns: 60 },
  );
});

test("of up to 256 recipients all are recorded; of more a sample, and it says so", (t) => {
  const most = limits.recordedCandidatesMax;
  t.is(most, 256);
  const bench = new PoolBench({ strategy: "longest_idle" });
  bench.recipients(Array.from({ length: most - 1 }, () => ({})));
  for (const count of [most, most + 1]) {
    bench.recipients([{}]);
    const { routing } = bench.route();
    const request = { routing_id: routing!.id, verify: true };
    const { verification } = bench.router("RoutingService.GetRouting", request);
    t.like(verification, { matches: true, complete: count === most }, `${count} recipients`);
    const tables = bench.driver.rows(bench.at("router"), "tables");
    t.is(tables.size, 1, "a sample needs no table");
  }
});

test("a decision for a recipient that is not in the sample, or not the best of it, does not verify", (t) => {
  for (const strategy of ["weighted_random", "longest_idle"]) {
    const bench = new PoolBench({ strategy });
    const ids = bench.recipients(Array.from({ length: 300 }, () => ({})));
    const { id, recipient_id } = bench.route().routing!;
    const verification = () =>
      bench.router("RoutingService.GetRouting", { routing_id: id, verify: true }).verification;
    t.deepEqual(verification(), { matches: true, complete: false, recipient_id });
    const rows = bench.driver.rows(bench.at("router"), "routings");
    const [row] = rows.scan({ collection: "routings", limit: 1 });
    const [, ...rest] = row!.value as unknown[];
    const sample = (rest[13] as [string][]).map(([one]) => one);
    const other = ids.find((one) => !sample.includes(one))!;
    rows.put(row!.key, [strategy === "longest_idle" ? sample.at(-1) : other, ...rest]);
    t.like(verification(), { matches: false });
  }
});

test("the digest of a sample is of all candidates, and of the figures that the strategy reads", (t) => {
  const digests = (strategy: string, settings: object, further: object) => {
    const bench = new PoolBench({ strategy });
    bench.recipients(Array.from({ length: 300 }, (_, i) => ({ ...settings, labels: { half: `${i % 2}` } })));
    for (const request of [{}, further]) {
      bench.driver.now += 1;
      bench.route({ reserve: true, ...request });
    }
    const rows = bench.driver.rows(bench.at("router"), "routings").scan({ collection: "routings", limit: 2 });
    return rows.map(({ value }) => (value as unknown[])[15]);
  };
  const [plain, again] = digests("weighted_random", {}, {});
  t.is(plain, again);
  for (const strategy of [
    "round_robin",
    "least_loaded",
    "two_choice",
    "sticky_hash",
    "longest_idle",
    "skills",
  ]) {
    const [first, second] = digests(strategy, {}, {});
    t.not(first, second, strategy);
  }
  const [all, some] = digests("weighted_random", {}, { required_labels: { half: "1" } });
  t.not(all, some);
  t.not(plain, digests("weighted_random", { weight: 2 }, {})[0]);
});

test("a decision that was tampered with does not verify", (t) => {
  const bench = new PoolBench({ strategy: "longest_idle" });
  const ids = bench.recipients([{}, {}, {}]);
  const { routing } = bench.route();
  const rows = bench.driver.rows(bench.at("router"), "routings");
  const [row] = rows.scan({ collection: "routings", limit: 1 });
  const other = ids.find((id) => id !== routing!.recipient_id);
  rows.put(row!.key, [other, ...(row!.value as unknown[]).slice(1)]);
  const { verification } = bench.router("RoutingService.GetRouting", {
    routing_id: routing!.id,
    verify: true,
  });
  t.like(verification, { matches: false, recipient_id: routing!.recipient_id });
});

test("records are forgotten after a day, and not before", (t) => {
  const bench = new PoolBench();
  bench.recipients([{}]);
  const { routing } = bench.route();
  bench.driver.advance(86_400_000);
  t.is(bench.router("RoutingService.GetRouting", { routing_id: routing!.id }).id, routing!.id);
  bench.driver.advance(1_200_000);
  t.like(bench.router("RoutingService.GetRouting", { routing_id: routing!.id }), { code: "NOT_FOUND" });
  t.is(bench.driver.rows(bench.at("router"), "routings").size, 0);
  t.is(bench.driver.rows(bench.at("router"), "tables").size, 0);
});

test("a decision can be run again as long as it is kept, also where the table was first recorded long before it", (t) => {
  const bench = new PoolBench({ strategy: "round_robin" });
  bench.recipients([{}, { weight: 2 }]);
  bench.route();
  bench.driver.advance(limits.routingBucketMs);
  const { routing } = bench.route();
  bench.driver.advance(limits.routingKeptMs);
  const { verification } = bench.router("RoutingService.GetRouting", {
    routing_id: routing!.id,
    verify: true,
  });
  t.like(verification, { matches: true, complete: true });
});

test("outcomes are forgotten two days after the day they were told of, and nothing is left to remember the days by", (t) => {
  const bench = new PoolBench();
  const [id] = bench.recipients([{}]) as [string];
  bench.route();
  bench.observe(id, "success");
  const outcomes = () => bench.driver.rows(bench.at("router"), "outcomes").size;
  const intoDay = bench.driver.now % limits.outcomeDayMs;
  bench.driver.advance(2 * limits.outcomeDayMs - intoDay - 1);
  t.is(outcomes(), 1);
  bench.driver.advance(1);
  t.is(outcomes(), 0);
  t.is(bench.state.timed.size, 0);
});

test("a decision by a sticky key verifies, of the expression and of the seed where there is no key", (t) => {
  const settings = Array.from({ length: 20 }, () => ({}));
  const byKey = new PoolBench({
    strategy: "sticky_hash",
    config: { sticky: { key: "item.attributes.customer" } },
  });
  const plain = new PoolBench({ strategy: "sticky_hash" });
  for (const bench of [byKey, plain]) bench.recipients(settings);
  const chosen = new Set<string>();
  for (let i = 0; i < 20; i++)
    for (const bench of [byKey, plain]) {
      const { id, recipient_id } = bench.route({ attributes: { customer: `c${i}` } }).routing!;
      if (bench === plain) chosen.add(recipient_id);
      t.like(bench.router("RoutingService.GetRouting", { routing_id: id, verify: true }), {
        verification: { matches: true, complete: true, recipient_id },
      });
    }
  t.true(chosen.size > 5, "without a key nobody is stuck to");
});
