import test from "ava";
import { Random } from "#base";
import { PoolBench } from "../../../test/support/pool.ts";
import { previewInPool } from "./preview.ts";
import { strategies } from "./record.ts";

type Message = Record<string, unknown>;
type Rule = { name: string; order: number; condition: string; action: Message };

/** 10,000 in the long run: `ROUTE_PREVIEWS=10000 npx ava actors/pools/router/preview.test.ts`. */
const cases = Number(process.env.ROUTE_PREVIEWS ?? 500);
const other = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

function preview(bench: PoolBench, request: Message): Message {
  return bench.router(previewInPool.name, { draft_rules: [], ...request });
}

function someRules(random: Random, seed: number): Rule[] {
  const actions: readonly Message[] = [
    { restrict: { labels: { side: "a" } } },
    { prefer: { skills: { go: 2 } } },
    { set_priority: { priority: 1 + random.int(5) } },
    { reject: { reason: "closed" } },
    { redirect: { pool_id: other } },
  ];
  const conditions = ["true", "item.cost > 1", 'item.key == "k1"', "item.attributes.missing > 1"];
  return Array.from({ length: random.int(4) }, (_, index) => {
    const action = actions[(seed + index) % actions.length]!;
    const condition =
      "reject" in action || "redirect" in action ? 'item.key == "k2"' : random.pick(conditions);
    return { name: `rule ${index}`, order: random.int(3), condition, action };
  });
}

/** The same pool each time it is made with the same seed; with the rules as rules, or without any. */
function poolOf(seed: number, rules: readonly Rule[]): PoolBench {
  const random = new Random(seed);
  const bench = new PoolBench({ strategy: random.pick(strategies) });
  bench.recipients(
    Array.from({ length: 1 + random.int(8) }, () => ({
      weight: random.int(5),
      capacity: random.int(4),
      tier: random.int(3),
      labels: { side: random.pick(["a", "b"]) },
      skills: { go: random.int(4) },
    })),
  );
  for (const rule of rules) bench.rule({ ...rule });
  return bench;
}

function routeOf(random: Random): Message {
  return {
    key: `k${random.int(5)}`,
    cost: 1 + random.int(2),
    reserve: random.chance(0.5),
    ...(random.chance(0.3) && { skills: { go: 1 } }),
    ...(random.chance(0.3) && { required_labels: { side: "a" } }),
  };
}

/** What Route did, in the words of a preview. */
function routed(bench: PoolBench, request: Message): Message {
  const { routing, refusal, ...redirect } = bench.route({ ...request, explain: true });
  if (routing)
    return { outcome: "routed", recipient_id: routing.recipient_id, explanation: routing.explanation };
  if ("redirect" in redirect) return { outcome: "redirected", redirect_pool_id: redirect.redirect };
  if (refusal!.code !== "ROUTING_FAILED") return { outcome: "rejected", reason: refusal!.detail };
  const { candidates } = refusal!.explanation as { candidates: unknown };
  return { outcome: "no_recipient", reason: refusal!.detail, explanation: candidates };
}

test(`a preview is what the next route does, in ${cases} cases with the same seed, and changes nothing`, (t) => {
  const seen = new Set<unknown>();
  for (let done = 0, seed = 1; done < cases; seed++) {
    const random = new Random(seed);
    const rules = someRules(random, seed);
    // Both do the same, so that the second draws the ids that the first has drawn.
    const [first, second] = [poolOf(seed, rules), poolOf(seed, rules)];
    for (let i = 0; i < 20; i++, done++) {
      const request = routeOf(random);
      preview(first, request);
      const rows = second.driver.rows(second.at("router"), "routings").size;
      const answer = first.route(request);
      const id = answer.routing?.id ?? "any";
      const { rules: told, ...previewed } = preview(second, { ...request, seed: id });
      t.is(second.driver.rows(second.at("router"), "routings").size, rows);
      const expected = routed(second, request);
      t.deepEqual(previewed, expected, `seed ${seed}, route ${i}`);
      seen.add(previewed.outcome);
      t.true((told as Message[]).length <= rules.length);
      for (const bench of [first, second]) bench.driver.now += 500;
    }
  }
  t.deepEqual([...seen].sort(), ["no_recipient", "redirected", "rejected", "routed"]);
});

test("drafts stand for the rules: a preview with them is that of a pool which has them", (t) => {
  for (let seed = 1; seed <= 40; seed++) {
    const random = new Random(seed);
    const rules = someRules(random, seed);
    if (rules.length === 0) continue;
    const [stored, drafted] = [poolOf(seed, rules), poolOf(seed, [])];
    drafted.rule({ condition: "true", action: { reject: { reason: "not this one" } } });
    for (let i = 0; i < 10; i++) {
      const request = { ...routeOf(random), seed: "s" };
      const expected = preview(stored, request);
      const told = preview(drafted, { ...request, draft_rules: rules });
      const without = (list: unknown) => (list as Message[]).map(({ rule_id: _, ...rest }) => rest);
      t.deepEqual(without(told.rules), without(expected.rules));
      // Their pools have other versions, and with them other draws.
      t.is(told.outcome, expected.outcome);
    }
  }
});

test("each rule says whether it matched, and why its condition fails; those after a rejection are not looked at", (t) => {
  const bench = new PoolBench();
  bench.recipients([{}]);
  const matched = bench.rule({
    name: "paid",
    order: 1,
    condition: "item.payload.paid",
    action: { set_priority: { priority: 1 } },
  });
  const action = { reject: { reason: "closed" } };
  const draft_rules = [
    { name: "last", order: 3, condition: "true", action },
    { name: "off", order: 0, condition: "true", enabled: false, action },
    { name: "wrong", order: 0, condition: "item.nothing.at.all", action },
    { name: "broken", order: 1, condition: "item.key ==", action },
    { name: "closed", order: 2, condition: "", action },
  ];
  const told = preview(bench, { draft_rules });
  t.like(told, { outcome: "rejected", reason: "closed" });
  const [wrong, broken, closed, ...more] = told.rules as Message[];
  t.like(wrong, { name: "wrong", matched: false });
  t.regex(wrong!.error as string, /nothing/);
  t.regex(broken!.error as string, /^line 1, column \d+: /);
  t.deepEqual(closed, { name: "closed", matched: true });
  t.deepEqual(more, []);
  const { rules, outcome } = preview(bench, { payload: { paid: true } });
  t.is(outcome, "routed");
  t.deepEqual(rules, [{ rule_id: matched.id, name: "paid", matched: true }]);
});

test("a pool that is disabled or not there previews nothing", (t) => {
  const bench = new PoolBench();
  t.like(preview(bench, { pool_id: other }), { code: "NOT_FOUND" });
  bench.pool("PoolService.SetPoolEnabled", { enabled: false });
  t.like(preview(bench, {}), { code: "FAILED_PRECONDITION", reason: "POOL_DISABLED" });
});
