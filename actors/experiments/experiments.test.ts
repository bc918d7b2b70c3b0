import test from "ava";
import { limits } from "#base";
import { DrivenExperiments, type Message } from "../../test/support/experiments.ts";

const half = (key: string) => ({ key, weight: 0.5 });

test("states: every call leads where the table says, and is refused elsewhere", async (t) => {
  const allowed: Readonly<Record<string, readonly string[]>> = {
    draft: ["StartExperiment", "StopExperiment"],
    running: ["PauseExperiment", "CompleteExperiment", "StopExperiment"],
    paused: ["StartExperiment", "CompleteExperiment", "StopExperiment"],
    completed: [],
    stopped: [],
  };
  const ways: Readonly<Record<string, readonly string[]>> = {
    draft: [],
    running: ["StartExperiment"],
    paused: ["StartExperiment", "PauseExperiment"],
    completed: ["StartExperiment", "CompleteExperiment"],
    stopped: ["StopExperiment"],
  };
  const module = new DrivenExperiments();
  for (const [state, way] of Object.entries(ways))
    for (const call of ["StartExperiment", "PauseExperiment", "CompleteExperiment", "StopExperiment"]) {
      const experiment_id = await module.create();
      for (const step of way) await module.call(step, { experiment_id, reason: "r" });
      t.is((await module.call("GetExperiment", { experiment_id })).status, state);
      const refused = await module.refusal(call, { experiment_id, reason: "r" });
      t.is(refused, allowed[state]!.includes(call) ? undefined : "STATE_CONFLICT", `${call} of ${state}`);
    }
});

test("bad settings are refused by field", async (t) => {
  const module = new DrivenExperiments();
  const metric = { key: "m", kind: "sum", role: "primary" };
  const cases: readonly (readonly [Message, string])[] = [
    [{ variants: [half("a"), { key: "b", weight: 0.4 }] }, "variants"],
    [{ variants: [half("a"), half("a")] }, "variants[1].key"],
    [
      {
        variants: [
          { ...half("a"), control: true },
          { ...half("b"), control: true },
        ],
      },
      "variants[1].control",
    ],
    [
      {
        variants: [
          { key: "a", weight: 0.3333333 },
          { key: "b", weight: 0.6666667 },
        ],
      },
      "variants[0].weight variants[1].weight",
    ],
    [{ variants: [{ ...half("a"), payload: "x".repeat(20_000) }, half("b")] }, "variants[0].payload"],
    [{ coverage: 0.1234567 }, "coverage"],
    [{ targeting: "attributes.country ==" }, "targeting"],
    [{ targeting: "item.key == 'x'" }, "targeting"],
    ...["'yes'", "1 + 1", "[true]", "unit_id", "size(unit_id)", "true && 'b'"].map(
      (targeting): readonly [Message, string] => [{ targeting }, "targeting"],
    ),
    [{ overrides: { u: "none" } }, 'overrides["u"]'],
    [{ metrics: [{ ...metric, role: "secondary" }] }, "metrics"],
    [{ metrics: [metric, metric] }, "metrics[1].key metrics"],
    [{ metrics: [{ ...metric, kind: "count", cap: 3 }] }, "metrics[0].cap"],
    [{ metrics: [{ ...metric, kind: "mean", covariate: true }] }, "metrics[0].covariate"],
    [{ metrics: [{ ...metric, margin: 0.1, on_breach: "pause" }] }, "metrics[0].margin metrics[0].on_breach"],
  ];
  for (const [fields, wrong] of cases)
    t.is(await module.refusal("CreateExperiment", { ...complete, ...fields }), `INVALID_ARGUMENT ${wrong}`);
});

const complete = {
  key: "k",
  name: "n",
  variants: [half("a"), half("b")],
  metrics: [{ key: "m", kind: "sum", role: "primary" }],
};

test("CEL that does not compile is refused with line and column", async (t) => {
  const module = new DrivenExperiments();
  const error = await t.throwsAsync(module.create({ targeting: "true &&\n  attributes..x" }));
  t.regex(error?.message ?? "", /targeting line 2, column \d+/);
});

test("after the start: texts, closing time and a higher coverage; a phase needs carry; the rest is refused by field", async (t) => {
  const module = new DrivenExperiments();
  const experiment_id = await module.started({ coverage: 0.5 });
  const patch = (fields: Message) => module.refusal("UpdateExperiment", { experiment_id, ...fields });
  t.is(await patch({ name: "other", scores_close_at: "2030-01-01T00:00:00.000Z" }), undefined);
  t.is(await patch({ coverage: 0.7 }), undefined);
  t.is(await patch({ coverage: 0.6 }), "INVALID_ARGUMENT carry");
  t.is(await patch({ coverage: 0.8, carry: "keep" }), "INVALID_ARGUMENT carry");
  t.is(await patch({ coverage: 0.6, carry: "keep" }), undefined);
  t.is(await patch({ targeting: "true", carry: "exclude" }), undefined);
  t.is(
    await patch({
      variants: [
        { key: "old", weight: 0.1 },
        { key: "new", weight: 0.9 },
      ],
      carry: "keep",
    }),
    undefined,
  );
  t.is(await patch({ variants: [half("old"), half("newer")], carry: "keep" }), "STATE_CONFLICT variants");
  t.is(await patch({ salt: "x" }), "STATE_CONFLICT salt");
  t.is(await patch({ overrides: { u: "old" } }), "STATE_CONFLICT overrides");
  const { phases } = await module.call<{ phases: Message[] }>("GetExperiment", { experiment_id });
  t.deepEqual(
    phases.map(({ number, carry, coverage }) => [number, carry, coverage]),
    [
      [1, "", 0.7],
      [2, "keep", 0.6],
      [3, "exclude", 0.6],
      [4, "keep", 0.6],
    ],
  );
  await module.call("CompleteExperiment", { experiment_id });
  t.is(await patch({ coverage: 1 }), "STATE_CONFLICT coverage");
  t.is(await patch({ description: "done" }), undefined);
});

test("assign: the first rule that holds decides", async (t) => {
  const module = new DrivenExperiments();
  const id = await module.create({
    overrides: { tester: "new" },
    targeting: "attributes.country == 'DE'",
    variants: [
      { key: "old", weight: 0.5, payload: 1 },
      { key: "new", weight: 0.5, payload: { n: 2 } },
    ],
  });
  const german = { attributes: { country: "DE" } };
  t.is(
    await module.refusal("Assign", { experiment_id: id, unit_id: "u" }),
    "FAILED_PRECONDITION NOT_STARTED",
  );
  await module.call("StartExperiment", { experiment_id: id });
  t.deepEqual(await module.assign(id, "tester"), {
    variant: "new",
    payload: { n: 2 },
    in_experiment: false,
    reason: "override",
    phase: 0,
  });
  t.like(await module.assign(id, "u"), { variant: "old", reason: "not_targeted", in_experiment: false });
  t.like(await module.assign(id, "u", { attributes: { country: 7 } }), { reason: "not_targeted" });
  const first = await module.assign(id, "u", german);
  t.like(first, { reason: "assigned", in_experiment: true, phase: 1 });
  t.like(await module.assign(id, "u"), { reason: "sticky", variant: first.variant, receipt: first.receipt });
  const pause = { experiment_id: id, reason: "r" };
  await module.call("UpdateExperiment", { experiment_id: id, coverage: 0, carry: "keep" });
  t.like(await module.assign(id, "v", german), { reason: "not_covered" });
  t.like(await module.assign(id, "u"), { reason: "sticky", variant: first.variant });
  await module.call("PauseExperiment", pause);
  t.like(await module.assign(id, "v", german), { reason: "paused" });
  t.like(await module.assign(id, "u"), { reason: "sticky" });
  await module.call("UpdateExperiment", { experiment_id: id, coverage: 1 });
  await module.call("UpdateExperiment", { experiment_id: id, targeting: "true", carry: "exclude" });
  t.like(await module.assign(id, "u"), { reason: "previous_phase", in_experiment: false, variant: "old" });
  await module.call("CompleteExperiment", { experiment_id: id, winner: "new" });
  t.like(await module.assign(id, "u"), { reason: "completed", variant: "new", in_experiment: false });
  const stopped = await module.started();
  await module.call("StopExperiment", { experiment_id: stopped, reason: "r" });
  t.like(await module.assign(stopped, "u"), { reason: "stopped", variant: "old" });
});

test("expose: false writes nothing; its receipt exposes once, and another variant is counted as multiple", async (t) => {
  const module = new DrivenExperiments();
  const id = await module.started();
  const { receipt, variant } = await module.assign(id, "u", { expose: false });
  t.is(await module.refusal("GetUnit", { experiment_id: id, unit_id: "u" }), "NOT_FOUND");
  const other = variant === "old" ? [0, 1] : [1, 0];
  const variants = [
    { key: "old", weight: other[0] },
    { key: "new", weight: other[1] },
  ];
  await module.call("UpdateExperiment", { experiment_id: id, variants, carry: "keep" });
  const second = await module.assign(id, "u", { expose: false });
  t.not(second.variant, variant);
  const exposures = [{ receipt }, { receipt }, { receipt: second.receipt }, { receipt: "er1_x" }];
  const { results } = await module.call<{ results: Message[] }>("RecordExposures", {
    experiment_id: id,
    exposures,
  });
  t.deepEqual(
    results.map(({ outcome }) => outcome),
    ["exposed", "known", "multiple", undefined],
  );
  t.like(results[3]!.error, { error_code: "INVALID_ARGUMENT" });
  t.like(await module.call("GetUnit", { experiment_id: id, unit_id: "u" }), {
    variant,
    phase: 1,
    multiple: true,
  });
  const found = await module.call<Message>("GetResults", { experiment_id: id });
  t.like(found.multiple_exposures, { units: 1, share: 1, too_many: true });
  t.false(found.trustworthy);
});

test("scores: same body replays, another is refused; before exposure and outside the window they do not count", async (t) => {
  const module = new DrivenExperiments();
  const metrics = [{ key: "spent", kind: "sum", role: "primary", scale: 2, window_seconds: 60 }];
  const id = await module.started({ metrics });
  const score = { experiment_id: id, score_id: "s", unit_id: "u", metric: "spent", value: 1.005 };
  t.is(await module.refusal("RecordScore", score), "FAILED_PRECONDITION NOT_EXPOSED");
  const { receipt } = await module.assign(id, "u", { expose: false });
  const { unit_id: _, ...body } = score;
  const first = await module.call("RecordScore", { ...body, receipt });
  t.like(first, { value: 1, eligible: true });
  module.driver.now += 1_000;
  t.deepEqual(await module.call("RecordScore", score), first);
  t.is(await module.refusal("RecordScore", { ...score, value: 2 }), "ALREADY_EXISTS");
  const at = (ms: number) => new Date(module.driver.now + ms).toISOString();
  const another = (score_id: string, ms: number) => ({ ...score, score_id, value: 5, occurred_at: at(ms) });
  t.like(await module.call("RecordScore", another("early", -2_000)), { eligible: false });
  t.like(await module.call("RecordScore", another("late", 59_500)), { eligible: false });
  t.is(await module.refusal("RecordScore", another("future", 61_000)), "INVALID_ARGUMENT occurred_at");
  t.is(await module.refusal("RecordScore", { ...score, metric: "x" }), "INVALID_ARGUMENT metric");
  t.is(await module.refusal("RecordScore", { ...score, value: 1e15 }), "INVALID_ARGUMENT value");
  t.is(await module.refusal("RecordScore", { ...score, value: undefined }), "INVALID_ARGUMENT value");
  t.is(await module.refusal("RecordScore", { ...score, receipt }), "INVALID_ARGUMENT unit_id");
  t.like(await module.call("GetUnit", { experiment_id: id, unit_id: "u" }), {
    metrics: [{ metric: "spent", scores: 1, sum: 1 }],
  });
  await module.call("CompleteExperiment", { experiment_id: id });
  t.is(await module.refusal("RecordScore", another("after", 0)), undefined);
  module.driver.now += limits.experimentScoresOpenMs;
  t.is(await module.refusal("RecordScore", another("closed", 0)), "FAILED_PRECONDITION SCORES_CLOSED");
});

test("groups: first fit, the same range on a repeat, full, released at the end", async (t) => {
  const module = new DrivenExperiments();
  const made = await module.call<{ id: string }>("ExperimentGroupService.CreateExperimentGroup", {
    name: "g",
  });
  const group = { id: made.id };
  const ranges = async () =>
    (await module.call<{ ranges: Message[] }>("ExperimentGroupService.GetExperimentGroup", group)).ranges.map(
      ({ start, share }) => [start, share],
    );
  const member = (share: number) => ({ group: { id: group.id, share } });
  const [a, b] = [await module.started(member(0.3)), await module.started(member(0.5))];
  t.deepEqual(await ranges(), [
    [0, 0.3],
    [0.3, 0.5],
  ]);
  const c = await module.create(member(0.25));
  t.is(await module.refusal("StartExperiment", { experiment_id: c }), "FAILED_PRECONDITION GROUP_FULL");
  t.is(
    await module.refusal("ExperimentGroupService.DeleteExperimentGroup", group),
    "FAILED_PRECONDITION GROUP_IN_USE",
  );
  await module.call("StopExperiment", { experiment_id: a, reason: "r" });
  await module.call("StartExperiment", { experiment_id: c });
  t.deepEqual(await ranges(), [
    [0, 0.25],
    [0.3, 0.5],
  ]);
  await module.call("PauseExperiment", { experiment_id: b });
  await module.call("StartExperiment", { experiment_id: b });
  const counts = new Map<string, number>();
  for (let i = 0; i < 500; i++) {
    const found = await Promise.all([b, c].map((id) => module.assign(id, `u${i}`)));
    const inside = found.filter(({ in_experiment }) => in_experiment).length;
    t.true(inside <= 1);
    counts.set(String(inside), (counts.get(String(inside)) ?? 0) + 1);
  }
  t.true((counts.get("0") ?? 0) > 80 && (counts.get("1") ?? 0) > 320);
  for (const id of [b, c]) await module.call("CompleteExperiment", { experiment_id: id });
  t.is(await module.refusal("ExperimentGroupService.DeleteExperimentGroup", group), undefined);
});

test("a look pauses at a breach, once, with events; a flag only tells", async (t) => {
  const module = new DrivenExperiments();
  const guard = (on_breach: string) => [
    { key: "paid", kind: "binary", role: "primary" },
    { key: "errors", kind: "count", role: "guardrail", direction: "decrease", margin: 0.05, on_breach },
  ];
  for (const on_breach of ["flag", "pause"]) {
    const id = await module.started({ metrics: guard(on_breach), analysis: { min_units: 50 } });
    for (let i = 0; i < 400; i++) {
      const { variant } = await module.assign(id, `u${i}`);
      const errors = (variant === "new" ? 3 : 1) + (i % 2);
      const scores = Array.from({ length: errors }, (_, n) => ({
        score_id: `${n}`,
        unit_id: `u${i}`,
        metric: "errors",
      }));
      await module.call("RecordScores", { experiment_id: id, scores });
    }
    module.driver.published.length = 0;
    await module.look(id);
    await module.look(id);
    const kinds = module.driver.published.map(({ kind }) => kind);
    const { status, last_look } = await module.call("GetExperiment", { experiment_id: id });
    t.like(last_look, { breached: ["errors"], sample_ratio_mismatch: false });
    t.is(status, on_breach === "pause" ? "paused" : "running");
    t.deepEqual(
      kinds,
      on_breach === "pause" ? ["experiment.breached", "experiment.paused"] : ["experiment.breached"],
    );
  }
});

test("units are forgotten 30 days after scores close, and the sums stay; a deleted experiment leaves nothing", async (t) => {
  const module = new DrivenExperiments();
  const id = await module.started();
  for (let i = 0; i < 40; i++) await module.assign(id, `u${i}`);
  await module.call("CompleteExperiment", { experiment_id: id });
  module.driver.advance(limits.experimentScoresOpenMs + limits.experimentUnitsKeptMs + 1);
  t.is(await module.refusal("GetUnit", { experiment_id: id, unit_id: "u1" }), "NOT_FOUND");
  const { variants } = await module.call<{ variants: { units: number }[] }>("GetResults", {
    experiment_id: id,
  });
  t.is(
    variants.reduce((sum, { units }) => sum + units, 0),
    40,
  );
  await module.call("DeleteExperiment", { experiment_id: id });
  for (const shard of module.shards(id))
    for (const collection of ["required", "snapshot", "sums", "days", "units", "scores"])
      t.is(module.driver.rows(shard, collection).scan({ collection, limit: 1 }).length, 0);
  t.is(await module.refusal("Assign", { experiment_id: id, unit_id: "u1" }), "NOT_FOUND");
});

test("no id of a unit is stored or published", async (t) => {
  const module = new DrivenExperiments();
  const id = await module.started();
  await module.assign(id, "very-secret-unit", { attributes: { mail: "very-secret-mail" } });
  await module.call("RecordScore", {
    experiment_id: id,
    unit_id: "very-secret-unit",
    score_id: "s",
    metric: "paid",
  });
  const rows = module
    .shards(id)
    .flatMap((at) =>
      ["snapshot", "sums", "days", "units", "scores"].map((collection) =>
        module.driver.rows(at, collection).scan({ collection, limit: 100 }),
      ),
    );
  t.false(JSON.stringify([rows, module.driver.published]).includes("very-secret"));
});

test("limits: phases of an experiment, and bytes of attributes", async (t) => {
  const module = new DrivenExperiments();
  const experiment_id = await module.started();
  for (let i = 1; i < limits.experimentPhasesMax; i++)
    await module.call("UpdateExperiment", { experiment_id, targeting: `unit_id != "${i}"`, carry: "keep" });
  const more = { experiment_id, targeting: "true", carry: "keep" };
  t.is(await module.refusal("UpdateExperiment", more), "FAILED_PRECONDITION LIMIT_REACHED");
  const attributes = { text: "x".repeat(limits.experimentAttributesBytesMax) };
  const assigned = { experiment_id, unit_id: "u", attributes };
  t.is(await module.refusal("Assign", assigned), "INVALID_ARGUMENT attributes");
});
