import test from "ava";
import fc from "fast-check";
import { isRefusal, Random } from "#base";
import { type Answer, type Explained, PoolBench } from "../../../test/support/pool.ts";
import { strategies } from "./record.ts";
import { collections } from "./rows.ts";

test("a route names a recipient and is kept with its inputs", (t) => {
  const bench = new PoolBench();
  const [id] = bench.recipients([{}]) as [string];
  const { routing } = bench.route({ key: "k", cost: 2, priority: 1 });
  t.is(routing!.recipient_id, id);
  const stored = bench.router("RoutingService.GetRouting", { routing_id: routing!.id });
  t.like(stored, { id: routing!.id, recipient_id: id, key: "k", cost: 2, priority: 1, candidate_count: 1 });
});

test("a disabled pool refuses, and routes again once enabled", (t) => {
  const bench = new PoolBench();
  bench.recipients([{}]);
  bench.pool("PoolService.SetPoolEnabled", { enabled: false });
  t.like(bench.route().refusal, { code: "FAILED_PRECONDITION", reason: "POOL_DISABLED" });
  bench.pool("PoolService.SetPoolEnabled", { enabled: true });
  t.truthy(bench.route().routing);
});

test("no eligible recipient is ROUTING_FAILED with the reasons and a retry hint", (t) => {
  const bench = new PoolBench();
  const [first] = bench.recipients([{}, { weight: 0 }]);
  bench.pool("RecipientService.PauseRecipient", { recipient_id: first });
  const { refusal } = bench.route({ explain: true });
  t.like(refusal, {
    code: "ROUTING_FAILED",
    retryAfterMs: 1_000,
    detail: "none of 2 recipients is eligible: 1 paused, 1 weight_zero",
  });
});

test("a route that finds no recipient says of every recipient why it was out", (t) => {
  const bench = new PoolBench();
  const ids = bench.recipients(Array.from({ length: 250 }, (_, n) => ({ weight: 0, capacity: n + 1 })));
  const { refusal } = bench.route({ explain: true });
  const { candidates, leftOut } = refusal!.explanation as { candidates: Explained[]; leftOut: number };
  t.is(leftOut, 0);
  t.deepEqual(
    candidates,
    ids.map((recipient_id) => ({
      recipient_id,
      eligible: false,
      chosen: false,
      reason: "weight_zero",
      detail: "weight 0 is never chosen",
    })),
  );
  t.is(bench.route({}).refusal!.explanation, undefined);
});

test("an explanation ends where its share of the answer ends, and says how many it left out", (t) => {
  const bench = new PoolBench();
  bench.recipients([{ labels: { long: "x".repeat(256) } }, {}, {}]);
  const [routed, failed] = bench.routes(
    [{ explain: true }, { explain: true, required_labels: { long: "y".repeat(256) } }],
    { explained: 2 },
  ) as Answer[];
  t.is(routed!.routing!.explanation.length, 2);
  t.is(routed!.routing!.explanation_left_out, 1);
  const { candidates, leftOut } = failed!.refusal!.explanation as {
    candidates: Explained[];
    leftOut: number;
  };
  t.is(candidates.length, 2);
  t.is(leftOut, 1);
  t.is(candidates[0]!.detail.length, 256);
});

test("invariant 1: a full recipient gets nothing, and gets something again after an outcome", (t) => {
  const bench = new PoolBench({ strategy: "least_loaded" });
  const [small, large] = bench.recipients([{ capacity: 2 }, { capacity: 3 }]) as [string, string];
  const held = Array.from({ length: 5 }, () => bench.route({ reserve: true }).routing!);
  t.is(held.filter(({ recipient_id }) => recipient_id === small).length, 2);
  t.is(held.filter(({ recipient_id }) => recipient_id === large).length, 3);
  t.is(bench.route({ reserve: true }).refusal!.code, "ROUTING_FAILED");
  bench.outcome({
    routing_id: held.find(({ recipient_id }) => recipient_id === small)!.id,
    result: "success",
  });
  t.is(bench.route({ reserve: true }).routing!.recipient_id, small);
});

test("a route without reserve leaves in_flight alone", (t) => {
  const bench = new PoolBench();
  const [id] = bench.recipients([{ capacity: 1 }]) as [string];
  for (let i = 0; i < 3; i++) t.is(bench.route().routing!.recipient_id, id);
  t.is(bench.pool("RecipientService.GetRecipient", { recipient_id: id }).in_flight, 0);
});

test("when a recipient was last assigned is kept to the second where no strategy uses it", (t) => {
  const live = (bench: PoolBench) =>
    bench.driver.rows(bench.at("router"), "live").scan({ collection: "live", limit: 10 });
  const random = new PoolBench();
  const [id] = random.recipients([{}]) as [string];
  const assigned = () => random.pool("RecipientService.GetRecipient", { recipient_id: id }).last_assigned_at;
  random.route();
  const first = assigned();
  const rows = live(random);
  random.driver.now += 999;
  random.route();
  t.is(assigned(), first);
  t.deepEqual(live(random), rows);
  random.driver.now += 1;
  random.route();
  t.is(Date.parse(assigned() as string) - Date.parse(first as string), 1_000);
  const inTurn = new PoolBench({ strategy: "longest_idle" });
  inTurn.recipients([{}, {}]);
  const chosen = Array.from({ length: 4 }, () => inTurn.route().routing!.recipient_id);
  t.deepEqual(chosen.slice(2), chosen.slice(0, 2), "every assignment counts where it decides the next");
  t.not(chosen[0], chosen[1]);
});

test("invariant 2: a reservation is given back at its time, also after a restart", (t) => {
  const bench = new PoolBench();
  bench.recipients([{ capacity: 1 }]);
  t.truthy(bench.route({ reserve: true, reserve_seconds: 10 }).routing);
  bench.driver.restart();
  t.truthy(bench.route({ reserve: true }).refusal);
  bench.driver.advance(9_999);
  t.truthy(bench.route({ reserve: true }).refusal);
  bench.driver.advance(1);
  t.truthy(bench.route({ reserve: true }).routing);
});

test("entries of one batch see each other", (t) => {
  const bench = new PoolBench({ strategy: "longest_idle" });
  bench.recipients([{ capacity: 1 }, { capacity: 1 }, { capacity: 1 }]);
  const answers = bench.routes(Array.from({ length: 4 }, () => ({ reserve: true })));
  t.true(Array.isArray(answers));
  if (!Array.isArray(answers)) return;
  const chosen = answers.slice(0, 3).map(({ routing }) => routing!.recipient_id);
  t.is(new Set(chosen).size, 3);
  t.is(answers[3]!.refusal!.code, "ROUTING_FAILED");
  t.is(bench.state.reservations, 3);
});

test("a batch decides as the same routes one by one", (t) => {
  for (const strategy of ["round_robin", "longest_idle"]) {
    const together = new PoolBench({ strategy });
    const single = new PoolBench({ strategy });
    const settings = [{ weight: 3 }, { weight: 1 }, { weight: 2 }];
    const a = together.recipients(settings);
    const b = single.recipients(settings);
    const answers = together.routes(Array.from({ length: 24 }, () => ({})));
    t.true(Array.isArray(answers));
    if (!Array.isArray(answers)) return;
    t.deepEqual(
      answers.map(({ routing }) => a.indexOf(routing!.recipient_id)),
      Array.from({ length: 24 }, () => b.indexOf(single.route().routing!.recipient_id)),
    );
  }
});

test("explain says for every recipient why it was in or out", (t) => {
  const bench = new PoolBench();
  const ids = bench.recipients([
    { labels: { region: "eu" }, skills: { go: 3 } },
    { labels: { region: "us" }, skills: { go: 3 } },
    { labels: { region: "eu" }, skills: { go: 1 } },
    { labels: { region: "eu" }, skills: { go: 3 }, weight: 0 },
    { labels: { region: "eu" }, skills: { go: 3 }, capacity: 1 },
    { labels: { region: "eu" }, skills: { go: 3 }, status: "STATUS_DRAINING" },
    { labels: { region: "eu" }, skills: { go: 3 }, status: "STATUS_PAUSED" },
    { labels: { region: "eu" }, skills: { go: 3 } },
    { skills: { go: 3 } },
  ]);
  bench.router("RecipientService.Heartbeat", { recipient_id: ids[7], ttl_seconds: 1 });
  bench.driver.advance(1_000);
  const { routing } = bench.route({
    required_labels: { region: "eu" },
    skills: { go: 2 },
    cost: 2,
    explain: true,
  });
  t.deepEqual(
    routing!.explanation.map(({ recipient_id, reason, detail }) => [
      ids.indexOf(recipient_id),
      reason,
      detail,
    ]),
    [
      [0, "chosen", "weight 1"],
      [1, "labels", 'label region is "us", not "eu"'],
      [2, "skills", "skill go is 1, less than 2"],
      [3, "weight_zero", "weight 0 is never chosen"],
      [4, "no_capacity", "in_flight 0 + cost 2 > capacity 1"],
      [5, "draining", "is draining"],
      [6, "paused", "is paused"],
      [7, "offline", `last heartbeat at ${new Date(bench.driver.now - 1_000).toISOString()}`],
      [8, "labels", 'label region is missing, not "eu"'],
    ],
  );
});

test("rules restrict, prefer, set the priority, redirect and reject, in order", (t) => {
  const bench = new PoolBench();
  const [eu, us] = bench.recipients([{ labels: { region: "eu" } }, { labels: { region: "us" } }]) as [
    string,
    string,
  ];
  bench.rule({
    condition: "item.attributes.region == 'eu'",
    action: { restrict: { labels: { region: "eu" } } },
  });
  bench.rule({ condition: "item.attributes.vip", action: { prefer: { recipient_ids: [us] } } });
  bench.rule({ condition: "item.attributes.vip", action: { set_priority: { priority: 1 } } });
  const reject = { reject: { reason: "no" } };
  const { id } = bench.rule({ condition: "item.attributes.bad == true", action: reject });
  const other = "01JVVVVVVVVVVVVVVVVVVVVVVV";
  bench.rule({ condition: "item.attributes.away", action: { redirect: { pool_id: other } } });
  for (let i = 0; i < 20; i++) t.is(bench.route({ attributes: { region: "eu" } }).routing!.recipient_id, eu);
  for (let i = 0; i < 20; i++)
    t.like(bench.route({ attributes: { vip: true } }).routing, { recipient_id: us, priority: 1 });
  // A preference gives way where nobody preferred is eligible.
  t.like(bench.route({ attributes: { region: "eu", vip: true } }).routing, { recipient_id: eu, priority: 1 });
  t.like(bench.route({ attributes: { bad: true, away: true } }).refusal, {
    code: "FAILED_PRECONDITION",
    reason: "RULE_REJECTED",
    extra: { rule_id: id },
  });
  t.is(bench.route({ attributes: { away: true } }).redirect, other);
});

test("a condition that fails does not match, and is counted", (t) => {
  const bench = new PoolBench();
  bench.recipients([{}]);
  const rule = bench.rule({
    condition: "item.attributes.missing > 1",
    action: { reject: { reason: "never" } },
  });
  t.truthy(bench.route().routing);
  t.truthy(bench.route({ attributes: { missing: "text" } }).routing);
  bench.driver.restart();
  t.is(bench.pool("RuleService.GetRule", { rule_id: rule.id }).evaluation_errors, 2);
});

test("a request with a key commits its redirect, one without writes nothing", (t) => {
  const bench = new PoolBench();
  const target = "01JVVVVVVVVVVVVVVVVVVVVVVV";
  bench.rule({ condition: "", action: { redirect: { pool_id: target } } });
  const published = bench.driver.published.length;
  t.deepEqual(bench.routes([{}]), [{ redirect: target, environment: "production" }]);
  t.is(bench.driver.published.length, published);
  t.deepEqual(bench.routes([{}], { keyed: true }), [{ redirect: target, environment: "production" }]);
  t.like(bench.driver.published.at(-1), { kind: "routing.redirected", payload: { pool_id: target } });
});

test("a sticky key expression decides who an item sticks to", (t) => {
  const bench = new PoolBench({
    strategy: "sticky_hash",
    config: { sticky: { key: "item.attributes.customer" } },
  });
  bench.recipients(Array.from({ length: 20 }, () => ({})));
  const home = bench.route({ key: "a", attributes: { customer: "c1" } }).routing!.recipient_id;
  for (let i = 0; i < 20; i++)
    t.is(bench.route({ key: `k${i}`, attributes: { customer: "c1" } }).routing!.recipient_id, home);
  t.like(bench.route({ key: "a" }).refusal, { code: "INVALID_ARGUMENT" });
});

test("invariant 1 holds over random histories with restarts", (t) => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const random = new Random(seed);
      const bench = new PoolBench({ strategy: random.pick(strategies) });
      const ids = bench.recipients(Array.from({ length: 5 }, () => ({ capacity: 1 + random.int(4) })));
      const open: string[] = [];
      for (let step = 0; step < 60; step++) {
        const roll = random.int(10);
        if (roll < 5) {
          const { routing } = bench.route({ reserve: true, reserve_seconds: 5, cost: 1 + random.int(2) });
          if (routing) open.push(routing.id);
        } else if (roll < 7 && open.length > 0)
          bench.outcome({ routing_id: random.pick(open), result: random.pick(["success", "failure"]) });
        else if (roll === 7) bench.driver.advance(random.int(3_000));
        else if (roll === 8) bench.driver.restart();
        else if (
          !isRefusal(bench.pool("RecipientService.DeleteRecipient", { recipient_id: random.pick(ids) }))
        )
          bench.recipients([{ capacity: 2 }]);
        for (const recipient of bench.state.recipients.values()) {
          let held = 0;
          for (const hold of bench.state.holds.values())
            if (hold.recipientId === recipient.id) held += hold.cost;
          t.is(recipient.inFlight, held);
          t.true(held <= recipient.capacity, `${held} of ${recipient.capacity}`);
        }
      }
      bench.driver.advance(5_000);
      t.is(bench.state.holds.size, 0);
    }),
    { numRuns: 50 },
  );
});

test("a router brought back from its rows decides and writes as one that was never away", (t) => {
  fc.assert(
    fc.property(fc.constantFrom(...strategies), fc.integer(), (strategy, seed) => {
      const run = (restarts: boolean) => {
        const random = new Random(seed);
        const bench = new PoolBench({ strategy, config: { outlier: { consecutive_failures: 2 } } });
        const ids = bench.recipients(
          Array.from({ length: 6 }, () => ({
            weight: random.int(4),
            capacity: random.int(5),
            skills: { go: 2 },
          })),
        );
        bench.rule({
          condition: "item.attributes.x > 1",
          action: { prefer: { recipient_ids: ids.slice(0, 2) } },
        });
        const open: string[] = [];
        for (let step = 0; step < 60; step++) {
          const recipient_id = random.pick(ids);
          const roll = random.int(14);
          if (roll < 6) {
            const { routing } = bench.route({
              key: `k${random.int(4)}`,
              reserve: random.chance(0.5),
              skills: { go: 1 },
            });
            if (routing) open.push(routing.id);
          } else if (roll < 9 && open.length > 0)
            bench.outcome({
              routing_id: random.pick(open),
              result: random.pick(["failure", "failure", "success"]),
            });
          else if (roll === 9) bench.driver.advance(random.int(40_000));
          else if (roll === 10) bench.router("RecipientService.Heartbeat", { recipient_id, ttl_seconds: 5 });
          else if (roll === 11)
            bench.pool("RecipientService.UpdateRecipient", { recipient_id, weight: random.int(4) });
          else if (roll === 12) bench.pool("RecipientService.DeleteRecipient", { recipient_id });
          else ids.push(...bench.recipients([{ weight: 2 }]));
          if (restarts && step % 3 === 0) bench.driver.restart();
        }
        const rows = (collection: string) =>
          bench.driver.rows(bench.at("router"), collection).scan({ collection, limit: 100_000 });
        return collections.map(rows);
      };
      t.deepEqual(run(true), run(false));
    }),
    { numRuns: 60 },
  );
});
