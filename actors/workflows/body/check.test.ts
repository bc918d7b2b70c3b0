import test from "ava";
import fc from "fast-check";
import { limits } from "#base";
import { problemsOf } from "./check.ts";

const pause = { id: "pause", type: "wait", seconds: 1 };
const maybe = { ...pause, id: "maybe", when: "input.x == 1" };
const tell = { id: "a", type: "notify", to: { subscriber_external_id: "u" } };
const put = { id: "put", type: "enqueue", pool_id: "${input.pool}" };
const id = "01J8Z0V3R2Q4M6N8P0S2T4V6X8";
const call = { id: "call", type: "action", action_key: "http.request", connection_id: id };
const with_ = (...steps: unknown[]) => ({ steps });

/** The only problem of each draft: where it is and how its reason begins. */
const bad: readonly [draft: object, path: string, reason: string, place?: string][] = [
  [{}, "steps", "must have at least one step"],
  [{ steps: [] }, "steps", "must have at least one step"],
  [{ steps: {} }, "steps", "must have at least one step"],
  [{ steps: Array.from({ length: 201 }, (_, n) => ({ ...pause, id: `s${n}` })) }, "steps", "has 201 steps"],
  [{ ...with_(pause), loops: 1 }, "loops", "is no field of a workflow"],
  [{ ...with_(pause), schema: 2 }, "schema", "must be 1"],
  [{ ...with_(pause), input: 5 }, "input", "must be a schema"],
  [{ ...with_(pause), input: { type: "text" } }, "input.type", "must be one of null"],
  [{ ...with_(pause), input: { $ref: "#/x" } }, "input.$ref", "is no keyword"],
  [{ ...with_(pause), input: { properties: [] } }, "input.properties", "must be an object of schemas"],
  [{ ...with_(pause), input: { properties: { a: 1 } } }, "input.properties.a", "must be a schema"],
  [{ ...with_(pause), input: { pattern: "(" } }, "input.pattern", ""],
  [{ ...with_(pause), input: { required: "a" } }, "input.required", "must be a list of names"],
  [
    { ...with_(pause), input: { items: { minLength: -1 } } },
    "input.items.minLength",
    "must be a whole number",
  ],
  [{ ...with_(pause), input: { anyOf: [{ maximum: "1" }] } }, "input.anyOf[0].maximum", "must be a number"],
  [{ ...with_(pause), input: { multipleOf: 0 } }, "input.multipleOf", "must be a number above 0"],
  [{ ...with_(pause), timeout_seconds: 0 }, "timeout_seconds", "must be a whole number from 1"],
  [{ ...with_(pause), timeout_seconds: 31_536_001 }, "timeout_seconds", "must be a whole number from 1"],
  [{ ...with_(pause), ttl_seconds: "1" }, "ttl_seconds", "must be of type integer"],
  [{ ...with_(pause), ttl_seconds: 2_592_001 }, "ttl_seconds", "must be at most 2592000"],
  [{ ...with_(pause), channels: [] }, "channels", "must be of type object"],
  [{ ...with_(pause), channels: { fax: {} } }, "channels.fax", "is not allowed"],
  [{ ...with_(pause), channels: { sms: {} } }, "channels.sms.engine", "is required"],
  [{ ...with_(pause), channels: { sms: { engine: "php" } } }, "channels.sms.engine", "must be one of"],
  [
    { ...with_(pause), channels: { sms: { engine: "liquid", body: 5 } } },
    "channels.sms.body",
    "must be of type string",
  ],
  [
    { ...with_(pause), channels: { email: { engine: "liquid", subject: "x".repeat(4_097) } } },
    "channels.email.subject",
    "is longer than 4096 bytes",
  ],
  [
    { ...with_(pause), channels: { email: { engine: "liquid", subject: `x${"é".repeat(2_048)}` } } },
    "channels.email.subject",
    "is longer than 4096 bytes",
  ],
  [
    { ...with_(pause), channels: { email: { engine: "liquid", layout_id: "x" } } },
    "channels.email.layout_id",
    "must match",
  ],
  [{ ...with_(pause), preference: "all" }, "preference", "must be of type object"],
  [
    { ...with_(pause), preference: { all: { enabled: 1 } } },
    "preference.all.enabled",
    "must be of type boolean",
  ],
  [{ ...with_(pause), preference: { channels: { fax: {} } } }, "preference.channels.fax", "is not allowed"],
  [{ ...with_(pause), preference: { condition: "1 +" } }, "preference.condition", "", "1:4"],
  [
    { ...with_(pause), preference: { schedule: { ranges: [{ days: ["mon"], start: "9", end: "10:00" }] } } },
    "preference.schedule.ranges[0].start",
    "must match",
  ],
  [{ ...with_(pause), output: "${1 +}" }, "output", "", "1:6"],
  [{ ...with_(pause), output: { a: ["${nothing}"] } }, "output.a[0]", "unknown name nothing", "1:3"],
  [with_("pause"), "steps[0]", "must be a step"],
  [with_(null), "steps[0]", "must be a step"],
  [with_({ type: "wait", seconds: 1 }), "steps[0].id", "must be a name"],
  [with_({ ...pause, id: "Pause" }), "steps[0].id", "must be a name"],
  [with_({ ...pause, id: 7 }), "steps[0].id", "must be a name"],
  [with_(pause, pause), "steps[1].id", "there is another step pause"],
  [with_({ id: "a" }), "steps[0].type", "must be one of"],
  [with_({ id: "a", type: "loop" }), "steps[0].type", "must be one of"],
  [with_({ id: "a", type: "constructor" }), "steps[0].type", "must be one of"],
  [with_({ id: "a", type: "action", action_key: "http.request" }), "steps[0].connection_id", "is required"],
  [with_({ ...call, input: 1 }), "steps[0].input", "must be an object"],
  [with_({ id: "a", type: "notify" }), "steps[0].to", "is required"],
  [with_({ ...tell, to: 5 }), "steps[0].to", "must be an object"],
  [with_({ ...tell, to: {} }), "steps[0].to", "must have exactly one of subscriber_external_id"],
  [with_({ ...tell, to: { subscriber_id: id, topic: "t" } }), "steps[0].to", "must have exactly one of"],
  [with_({ ...tell, to: { topic: "t", email: "a@b" } }), "steps[0].to.email", "is no field: there are"],
  [with_({ ...tell, to: { topic: "${input.}" } }), "steps[0].to.topic", "", "1:9"],
  [with_({ ...tell, channels: [] }), "steps[0].channels", "must be a list of email"],
  [with_({ ...tell, channels: ["fax"] }), "steps[0].channels", "must be a list of email"],
  [with_({ ...tell, channels: ["sms", "sms"] }), "steps[0].channels", "must be a list of email"],
  [with_({ ...tell, payload: [] }), "steps[0].payload", "must be an object"],
  [with_({ id: "a", type: "assign", unit_id: "u" }), "steps[0].experiment_id", "is required"],
  [with_({ ...pause, seconds: "abc" }), "steps[0].seconds", "must be a whole number or one expression"],
  [with_({ ...pause, seconds: "1${input.n}" }), "steps[0].seconds", "must be a whole number or one"],
  [with_({ id: "a", type: "wait", until: "tomorrow" }), "steps[0].until", "must be a time like 2030"],
  [with_({ id: "a", type: "wait", until: "2030-02-30T00:00:00Z" }), "steps[0].until", "must be a time"],
  [with_({ ...put, pool_id: "x" }), "steps[0].pool_id", "must be an id"],
  [with_({ ...put, type: "route", pool_id: "x" }), "steps[0].pool_id", "must be an id"],
  [with_({ ...put, pool_id: "$${input.pool}" }), "steps[0].pool_id", "must be an id"],
  [
    with_({ id: "a", type: "assign", unit_id: "u", experiment_id: "e" }),
    "steps[0].experiment_id",
    "must be an",
  ],
  [with_({ ...call, connection_id: "c" }), "steps[0].connection_id", "must be an id"],
  [with_({ ...call, input: "all" }), "steps[0].input", "must be an object or one expression"],
  [with_({ ...tell, to: { subscriber_id: "s" } }), "steps[0].to.subscriber_id", "must be an id"],
  [with_({ ...tell, to: "everyone" }), "steps[0].to", "must be an object or one expression"],
  [with_({ ...tell, channels: "sms" }), "steps[0].channels", "must be a list or one expression"],
  [with_({ ...pause, when: "'yes'" }), "steps[0].when", "is never true or false", "1:1"],
  [with_({ ...pause, when: "size(input.list)" }), "steps[0].when", "is never true or false", "1:1"],
  [with_({ ...pause, when: "now" }), "steps[0].when", "is never true or false", "1:1"],
  [with_({ ...pause, when: "input.list.map(x, x)" }), "steps[0].when", "is never true or false", "1:1"],
  [with_({ ...pause, when: "input.a && 'b'" }), "steps[0].when", "is never true or false, but", "1:12"],
  [
    with_({ id: "b", type: "branch", cases: [{ when: "1 + 1", steps: [pause] }] }),
    "steps[0].cases[0].when",
    "is never true or false",
    "1:1",
  ],
  [with_({ ...pause, colour: 1 }), "steps[0].colour", "is no field of wait"],
  [with_({ ...pause, when: "" }), "steps[0].when", "must be an expression"],
  [with_({ ...pause, when: true }), "steps[0].when", "must be an expression"],
  [with_({ ...pause, when: "input.x ==" }), "steps[0].when", "", "1:11"],
  [with_({ ...pause, when: "true &&\n inputs.x" }), "steps[0].when", "unknown name inputs", "2:2"],
  [with_({ ...pause, when: "output == 1" }), "steps[0].when", "unknown name output", "1:1"],
  [with_({ ...pause, select: "outputs" }), "steps[0].select", "unknown name outputs", "1:1"],
  [with_({ ...pause, when: "steps.gone.status == 'x'" }), "steps[0].when", "there is no step gone"],
  [with_({ ...pause, when: "steps.pause.status == 'x'" }), "steps[0].when", "the step pause cannot have run"],
  [with_({ ...pause, when: "size(steps) > 1" }), "steps[0].when", "name the step"],
  [with_({ ...pause, when: "steps[input.x].status == 'x'" }), "steps[0].when", "name the step"],
  [with_({ ...pause, when: "run.colour == 1" }), "steps[0].when", "run has no colour"],
  [
    with_(pause, { ...put, key: "${steps.pause.result}" }),
    "steps[1].key",
    "steps.pause has no result",
    "1:3",
  ],
  [with_({ ...pause, retry: 3 }), "steps[0].retry", "must be an object"],
  [with_({ ...pause, retry: { max_attempts: 0 } }), "steps[0].retry.max_attempts", "must be a whole number"],
  [with_({ ...pause, retry: { forever: true } }), "steps[0].retry.forever", "is no field"],
  [with_({ ...pause, timeout_seconds: 1.5 }), "steps[0].timeout_seconds", "must be a whole number"],
  [with_({ ...pause, on_error: "ignore" }), "steps[0].on_error", "must be fail or continue"],
  [with_({ id: "a", type: "wait" }), "steps[0]", "needs either seconds or until"],
  [with_({ ...pause, until: "2030-01-01T00:00:00Z" }), "steps[0]", "needs either seconds or until"],
  [with_({ ...pause, seconds: -1 }), "steps[0].seconds", "must be a whole number from 0"],
  [with_({ id: "a", type: "wait_event" }), "steps[0].event_key", "is required"],
  [with_({ id: "a", type: "wait_event", event_key: 5 }), "steps[0].event_key", "must be a text"],
  [with_({ id: "a", type: "route" }), "steps[0].pool_id", "is required"],
  [
    with_({ ...put, payload: { a: "x ${input.a" } }),
    "steps[0].payload.a",
    "has an expression without",
    "1:3",
  ],
  [with_({ ...put, wait: "yes" }), "steps[0].wait", "must be true or false"],
  [with_({ ...put, attributes: 5 }), "steps[0].attributes", "must be an object"],
  [
    with_(maybe, { ...put, key: "a ${steps.maybe.output}" }),
    "steps[1].key",
    "the step maybe may not have run",
    "1:5",
  ],
  [with_({ id: "a", type: "branch" }), "steps[0].cases", "is required"],
  [with_({ id: "a", type: "branch", cases: [] }), "steps[0].cases", "must have at least one case"],
  [with_({ id: "a", type: "branch", cases: [5] }), "steps[0].cases[0]", "must be an object"],
  [
    with_({ id: "a", type: "branch", cases: [{ steps: [pause] }] }),
    "steps[0].cases[0].when",
    "must be an expression",
  ],
  [
    with_({ id: "a", type: "branch", cases: [{ when: "true" }] }),
    "steps[0].cases[0].steps",
    "must have at least one",
  ],
  [
    with_({ id: "a", type: "branch", cases: [{ when: "true", steps: [pause], stop: 1 }] }),
    "steps[0].cases[0].stop",
    "is no field",
  ],
  [
    with_({
      id: "a",
      type: "branch",
      cases: [{ when: "true", steps: [pause] }],
      else: [{ ...put, key: "${steps.pause.status}" }],
    }),
    "steps[0].else[0].key",
    "",
  ],
  [with_({ id: "a", type: "parallel", branches: [] }), "steps[0].branches", "must have 1 to 10"],
  [
    with_({
      id: "a",
      type: "parallel",
      branches: Array.from({ length: 11 }, (_, n) => [{ ...pause, id: `p${n}` }]),
    }),
    "steps[0].branches",
    "must have 1 to 10",
  ],
  [
    with_({ id: "a", type: "parallel", branches: [[pause]], until: "some" }),
    "steps[0].until",
    "must be one of all",
  ],
  [
    with_({ id: "a", type: "parallel", branches: [[pause], [{ ...put, key: "${steps.pause.output}" }]] }),
    "steps[0].branches[1][0].key",
    "the step pause may not have run",
  ],
  [
    with_(
      { id: "a", type: "parallel", until: "any", branches: [[pause]] },
      { ...put, key: "${steps.pause.output}" },
    ),
    "steps[1].key",
    "the step pause may not have run",
  ],
  [with_({ id: "a", type: "end", status: "cancelled" }), "steps[0].status", "must be one of succeeded"],
  [
    with_(nested(6)),
    `steps[0]${".branches[0][0]".repeat(4)}.branches[0]`,
    "steps are nested more than 5 deep",
  ],
];

function nested(depth: number): object {
  if (depth === 1) return pause;
  return { id: `n${depth}`, type: "parallel", branches: [[nested(depth - 1)]] };
}

test("each of these drafts is refused with its path, its reason and its place", (t) => {
  t.true(bad.length >= 60, `${bad.length} drafts`);
  for (const [draft, path, reason, place] of bad) {
    const problems = problemsOf(draft as Record<string, unknown>);
    const title = `${JSON.stringify(draft).slice(0, 200)} → ${JSON.stringify(problems)}`;
    t.is(problems.length, 1, title);
    t.is(problems[0]?.path, path, title);
    t.true(problems[0]?.reason.startsWith(reason), title);
    if (place !== undefined) t.is(`${problems[0]?.line}:${problems[0]?.column}`, place, title);
  }
});

test("drafts that are in order have no problems", (t) => {
  for (const draft of [
    with_(pause),
    with_(tell, { ...tell, id: "b", channels: ["sms", "in_app"], payload: "${input}" }),
    with_({ ...tell, to: "${input.to}", channels: "${input.channels}" }),
    with_(nested(5)),
    with_(maybe, { ...put, key: "${has(steps.maybe.output) ? 'a' : 'b'}" }),
    with_(maybe, { ...put, when: "has(steps.maybe.output)", payload: "${steps.maybe.output}" }),
    with_(maybe, { ...put, key: "${steps.maybe.status}" }),
    with_(pause, { ...put, key: '${steps["pause"].status + "}"} and $${x}' }),
    with_(
      { id: "both", type: "parallel", branches: [[pause], [put]] },
      { id: "last", type: "end", output: "${steps.put.output}" },
    ),
    {
      ...with_(put),
      input: { type: "object", required: ["pool"], properties: { pool: { type: "string" } } },
    },
    with_({
      id: "event",
      type: "wait_event",
      event_key: "paid",
      timeout_seconds: 5,
      select: "output.payload",
    }),
  ])
    t.deepEqual(problemsOf(draft), [], JSON.stringify(draft));
});

test("an action that the catalogue does not have is a problem; one that an expression names is not", (t) => {
  const installed = { hasModule: () => true, actionProblem: (key: string) => `no action ${key}` };
  t.deepEqual(problemsOf(with_(call), installed), [
    { path: "steps[0].action_key", code: "INVALID", reason: "no action http.request" },
  ]);
  t.deepEqual(problemsOf(with_({ ...call, action_key: "${input.action}" }), installed), []);
});

test("a step whose module is not there is a problem of its own kind", (t) => {
  const installed = { hasModule: (name: string) => name !== "audience", actionProblem: () => undefined };
  t.deepEqual(problemsOf(with_(pause, tell), installed), [
    {
      path: "steps[1].type",
      code: "MODULE_ABSENT",
      reason: "needs the module audience, which is not there",
    },
  ]);
});

test("all problems are told at once, and no more than can be read", (t) => {
  const draft = { schema: 3, steps: Array.from({ length: 150 }, () => ({ id: "A", type: "loop" })) };
  const problems = problemsOf(draft);
  t.is(problems.length, limits.workflowProblemsMax);
  t.deepEqual(
    problems.slice(0, 3).map(({ path }) => path),
    ["schema", "steps[0].id", "steps[0].type"],
  );
});

test("whatever a draft is, it has problems or a list of steps", (t) => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom("steps", "input", "output", "schema"), fc.jsonValue()),
      (draft) => {
        const problems = problemsOf(draft as Record<string, unknown>);
        t.true(problems.length > 0 || Array.isArray(draft.steps));
      },
    ),
    { numRuns: 500 },
  );
});
