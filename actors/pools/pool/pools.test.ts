import test from "ava";
import fc from "fast-check";
import { Random } from "#base";
import { PoolBench, tenant } from "../../../test/support/pool.ts";
import { listDirectory } from "../../kit/entity-list.ts";

type Message = Record<string, unknown>;

test("a pool has the defaults of the specification and can be used at once", (t) => {
  const bench = new PoolBench();
  t.like(bench.pool("PoolService.GetPool"), {
    id: bench.poolId,
    name: "p",
    description: "",
    strategy: "weighted_random",
    status: "STATUS_ACTIVE",
    tenant_id: tenant,
    environment: "production",
    record_version: 1,
    recipient_ids: [],
    config: {
      lease_seconds: 30,
      max_attempts: 5,
      max_deliveries: 20,
      backoff: { initial_ms: 1_000, max_ms: 600_000, multiplier: 2 },
      priority: { bands: 5, default: 3, aging_seconds: 60 },
      outlier: { consecutive_failures: 5, ejection_seconds: 30, max_ejected_percent: 50 },
    },
  });
});

test("an update changes what its mask names, resets what it names without a value, and keeps the rest", (t) => {
  const bench = new PoolBench({
    description: "d",
    config: { lease_seconds: 60, backoff: { max_ms: 5_000 } },
  });
  const updated = bench.pool("PoolService.UpdatePool", {
    name: "q",
    config: { backoff: { initial_ms: 7 } },
    update_mask: ["name", "description", "config.lease_seconds", "config.backoff.initial_ms"],
  });
  t.like(updated, {
    name: "q",
    description: "",
    record_version: 2,
    config: { lease_seconds: 30, backoff: { initial_ms: 7, max_ms: 5_000 } },
  });
});

test("without a mask the fields that are set change", (t) => {
  const bench = new PoolBench({ description: "d" });
  t.like(bench.pool("PoolService.UpdatePool", { strategy: "round_robin" }), {
    name: "p",
    description: "d",
    strategy: "round_robin",
  });
});

const badUpdates: [string, Message, string][] = [
  ["an unknown path", { update_mask: ["tenant_id"] }, "update_mask"],
  ["no name", { update_mask: ["name"] }, "name"],
  ["a key that does not compile", { config: { fairness: { key: "item." } } }, "config.fairness.key"],
  [
    "an end before the start",
    { config: { backoff: { initial_ms: 10, max_ms: 5 } } },
    "config.backoff.max_ms",
  ],
  ["a band that is not there", { config: { priority: { bands: 2, default: 4 } } }, "config.priority.default"],
  [
    "a debounce that could never fire",
    { config: { admission: { debounce: { key: "item.key", period_ms: 10, max_wait_ms: 5 } } } },
    "config.admission.debounce.max_wait_ms",
  ],
  [
    "a cost above its limit",
    { config: { admission: { concurrency: [{ limit: 1, cost: 2 }] } } },
    "config.admission.concurrency[0].cost",
  ],
];

for (const [title, request, field] of badUpdates)
  test(`an update with ${title} is refused and names ${field}`, (t) => {
    const bench = new PoolBench();
    const refusal = bench.pool("PoolService.UpdatePool", request);
    t.like(refusal, { code: "INVALID_ARGUMENT" });
    t.is((refusal.fields as { field: string }[])[0]!.field, field);
    t.is(bench.pool("PoolService.GetPool").record_version, 1);
  });

test("invariant 2: an old record_version changes nothing", (t) => {
  const bench = new PoolBench();
  const [id] = bench.recipients([{}]) as [string];
  const { id: ruleId } = bench.rule({ action: { reject: { reason: "r" } } });
  const writes: [string, Message][] = [
    ["PoolService.UpdatePool", { name: "x" }],
    ["PoolService.SetPoolEnabled", { enabled: false }],
    ["PoolService.DeletePool", {}],
    ["RecipientService.UpdateRecipient", { recipient_id: id, weight: 3 }],
    ["RecipientService.DeleteRecipient", { recipient_id: id }],
    ["RuleService.UpdateRule", { rule_id: ruleId, enabled: false }],
    ["RuleService.DeleteRule", { rule_id: ruleId }],
  ];
  for (const [method, request] of writes)
    t.like(bench.pool(method, { ...request, record_version: 7 }), { code: "VERSION_CONFLICT" }, method);
  t.like(bench.pool("PoolService.GetPool"), { name: "p", status: "STATUS_ACTIVE", recipient_ids: [id] });
  t.is(
    bench.pool("RecipientService.UpdateRecipient", { recipient_id: id, weight: 3, record_version: 1 })
      .record_version,
    2,
  );
});

test("invariant 2: what changes nothing leaves every version and subscribers alone, also after a restart", (t) => {
  const bench = new PoolBench();
  const settings = {
    config: { max_attempts: 3, admission: { concurrency: [{ key: "item.key", limit: 2 }] } },
  };
  bench.pool("PoolService.UpdatePool", { name: "x", ...settings });
  const labels = { a: "1", b: "2" };
  const metadata = { owner: { team: "t" }, tags: [1, null] };
  const { id: recipient_id } = bench.pool("RecipientService.CreateRecipient", {
    name: "r",
    labels,
    metadata,
  });
  const action = { prefer: { labels: { a: "1" } } };
  const { id: rule_id } = bench.rule({ condition: "item.cost > 1", action });
  bench.driver.restart();
  const repeats: [string, Message][] = [
    ["PoolService.UpdatePool", {}],
    ["PoolService.UpdatePool", { name: "x", ...settings }],
    ["PoolService.SetPoolEnabled", { enabled: true }],
    ["RecipientService.UpdateRecipient", { recipient_id, labels: { b: "2", a: "1" }, metadata }],
    ["RecipientService.UpdateRecipient", { recipient_id, update_mask: ["weight"] }],
    ["RecipientService.ResumeRecipient", { recipient_id }],
    ["RuleService.UpdateRule", { rule_id, condition: "item.cost > 1", action, enabled: true }],
  ];
  const changes: [string, Message][] = [
    ["PoolService.SetPoolEnabled", { enabled: false }],
    ["RecipientService.PauseRecipient", { recipient_id }],
    ["RuleService.UpdateRule", { rule_id, enabled: false }],
  ];
  const looks = () => [
    bench.pool("PoolService.GetPool"),
    bench.pool("RecipientService.GetRecipient", { recipient_id }),
    bench.pool("RuleService.GetRule", { rule_id }),
    bench.state.version,
    bench.driver.published.length,
  ];
  const stays = (method: string, request: Message) => {
    const before = looks();
    bench.driver.now += 1_000;
    const answer = bench.pool(method, request);
    t.deepEqual(looks(), before, method);
    t.true(before.some((shown) => (shown as Message).record_version === answer.record_version));
  };
  for (const repeat of repeats) stays(...repeat);
  for (const [method, request] of changes) {
    const before = bench.driver.published.length;
    const { record_version } = bench.pool(method, request);
    t.is(bench.driver.published.length, before + 1, method);
    t.is(bench.pool(method, request).record_version, record_version);
    stays(method, request);
  }
});

test("invariant 5: a pool with items is deleted only by force, and nothing is left", (t) => {
  const bench = new PoolBench();
  const [id] = bench.recipients([{}]) as [string];
  bench.route({ reserve: true });
  const queue = bench.driver.state<{ liveItems: number }>(bench.at("queue"));
  for (const liveItems of [1, 3]) {
    queue.liveItems = liveItems;
    t.like(bench.pool("PoolService.DeletePool"), { code: "FAILED_PRECONDITION", reason: "POOL_NOT_EMPTY" });
  }
  t.deepEqual(bench.pool("PoolService.DeletePool", { force: true }), { id: bench.poolId, deleted: true });
  t.is(queue.liveItems, 0);
  for (const restarted of [false, true]) {
    if (restarted) bench.driver.restart();
    t.like(bench.pool("PoolService.GetPool"), { code: "NOT_FOUND" });
    t.like(bench.pool("RecipientService.GetRecipient", { recipient_id: id }), { code: "NOT_FOUND" });
    t.like(bench.route().refusal, { code: "NOT_FOUND" });
  }
  const list = bench.ask(bench.directory(), listDirectory.name, {}) as Message;
  t.like(list, { entries: [], total: 0 });
  t.is(bench.driver.rows(bench.directory(), "handles").size, 0);
});

test("a pool that is made again by a repeated message is the one that is there", (t) => {
  const bench = new PoolBench({ config: { lease_seconds: 60 } });
  const [id] = bench.recipients([{}]) as [string];
  bench.pool("PoolService.UpdatePool", { name: "renamed" });
  const before = bench.pool("PoolService.GetPool");
  const pool = {
    ...bench.driver.state<{ pool: object }>(bench.at("pool")).pool,
    name: "p",
    recordVersion: 1,
  };
  for (const restarted of [false, true]) {
    if (restarted) bench.driver.restart();
    t.is(bench.driver.tell(bench.at("pool"), { type: "create", pool, tenantKey: "other" }), undefined);
    t.deepEqual(bench.pool("PoolService.GetPool"), before);
    t.is(bench.route().routing!.recipient_id, id);
  }
});

test("a pool is known by its whole id: another with the same handle is no pool", (t) => {
  const bench = new PoolBench();
  bench.recipients([{}]);
  bench.poolId = `00000000000000AAAA${bench.poolId.slice(18)}`;
  t.like(bench.pool("PoolService.GetPool"), { code: "NOT_FOUND" });
  t.like(bench.route().refusal, { code: "NOT_FOUND" });
});

test("a pool is found in its own environment, by who may see it", (t) => {
  const bench = new PoolBench();
  const get = (caller: object) => bench.pool("PoolService.GetPool", {}, caller);
  t.is(get({ environment: "production" }).id, bench.poolId);
  t.like(get({ environment: "staging" }), { code: "NOT_FOUND" });
  t.is(get({ environmentMode: "production_only" }).id, bench.poolId);
  t.like(get({ environmentMode: "non_production_only" }), { code: "PERMISSION_DENIED" });
  t.like(
    bench.ask(
      bench.directory(),
      "PoolService.CreatePool",
      { name: "x" },
      { environmentMode: "non_production_only" },
    ),
    { code: "PERMISSION_DENIED" },
  );
  t.like(
    bench.ask(bench.directory(), "PoolService.CreatePool", { name: "x" }, { environment: "Not a name" }),
    {
      code: "INVALID_ARGUMENT",
    },
  );
});

test("invariant 1: the router's table equals the configuration, also after restarts", (t) => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const random = new Random(seed);
      const bench = new PoolBench();
      const ids = bench.recipients([{}, {}]);
      const rules = [bench.rule({ action: { reject: { reason: "r" } } }).id as string];
      for (let step = 0; step < 40; step++) {
        const recipient_id = random.pick(ids);
        const rule_id = random.pick(rules);
        const changes: [string, Message][] = [
          ["PoolService.UpdatePool", { strategy: random.pick(["round_robin", "two_choice"]) }],
          ["PoolService.SetPoolEnabled", { enabled: random.chance(0.5) }],
          [
            "RecipientService.UpdateRecipient",
            { recipient_id, weight: random.int(9), labels: { a: `${random.int(3)}` } },
          ],
          ["RecipientService.PauseRecipient", { recipient_id }],
          ["RecipientService.ResumeRecipient", { recipient_id }],
          ["RecipientService.DeleteRecipient", { recipient_id }],
          ["RuleService.UpdateRule", { rule_id, enabled: random.chance(0.5), order: random.int(9) }],
          ["RuleService.DeleteRule", { rule_id }],
        ];
        bench.pool(...random.pick(changes));
        if (random.chance(0.3)) ids.push(...bench.recipients([{ capacity: random.int(3) }]));
        if (random.chance(0.3))
          rules.push(bench.rule({ action: { set_priority: { priority: 2 } } }).id as string);
        if (random.chance(0.2)) bench.driver.restart();
        sameTable(bench, t);
      }
    }),
    { numRuns: 25 },
  );
});

interface PoolState {
  readonly version: number;
  readonly pool: { strategy: string; enabled: boolean };
  readonly recipients: Map<string, Message>;
  readonly rules: Map<string, { id: string; enabled: boolean; order: number }>;
}

function sameTable(bench: PoolBench, t: { deepEqual: (a: unknown, b: unknown) => unknown }): void {
  const pool = bench.driver.state<PoolState>(bench.at("pool"));
  const { state } = bench;
  t.deepEqual(
    [state.version, state.strategy, state.status === "active"],
    [pool.version, pool.pool.strategy, pool.pool.enabled],
  );
  const fields = ["id", "status", "weight", "capacity", "tier", "labels", "skills"] as const;
  const table = (recipients: Iterable<object>) =>
    [...recipients].map((one) => fields.map((field) => (one as Message)[field])).sort();
  t.deepEqual(table(state.recipients.values()), table(pool.recipients.values()));
  const enabled = [...pool.rules.values()].filter((rule) => rule.enabled);
  enabled.sort((a, b) => a.order - b.order || (a.id < b.id ? -1 : 1));
  t.deepEqual(
    state.rules.map(({ id }) => id),
    enabled.map(({ id }) => id),
  );
}
