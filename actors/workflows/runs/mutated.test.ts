import test from "ava";
import fc from "fast-check";
import type { Body } from "../body/body.ts";
import { problemsOf } from "../body/check.ts";
import { advance, type Happened } from "./advance.ts";
import type { CallResult } from "./answers.ts";
import { isOver, nextDue, type Run, type RunView } from "./run.ts";

const pool = "01JD0000000000000000000003";

/** A definition that has every type of step. */
const sound = {
  input: { type: "object" },
  channels: { email: { engine: "liquid", subject: "Hello", body: "You" } },
  preference: { all: { enabled: true }, condition: "channel == 'email'" },
  timeout_seconds: 3_600,
  steps: [
    { id: "a", type: "route", pool_id: pool, key: "${input.user}", retry: { max_attempts: 2 } },
    {
      id: "b",
      type: "branch",
      cases: [{ when: "input.n == 1", steps: [{ id: "c", type: "enqueue", pool_id: pool, wait: true }] }],
      else: [{ id: "d", type: "wait", seconds: "${input.n}" }],
    },
    {
      id: "e",
      type: "parallel",
      until: "any",
      branches: [
        [{ id: "f", type: "wait_event", event_key: "x", timeout_seconds: 5 }],
        [{ id: "g", type: "wait", until: "${input.when}", on_error: "continue", select: "output" }],
      ],
    },
    {
      id: "n",
      type: "notify",
      to: { subscriber_external_id: "${input.user}", subscriber: { email: "a@example.com" } },
      channels: ["email"],
      payload: { n: "${input.n}" },
    },
    { id: "h", type: "end", when: "has(steps.c.output)", output: "${steps.c.output}" },
  ],
  output: { g: "${steps.e.output}" },
};

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Everywhere in a value, as paths. */
function placesIn(value: Json, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== "object" || value === null) return [path];
  const inner = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [path, ...inner.flatMap(([name, member]) => placesIn(member as Json, [...path, name]))];
}

const odd = fc.oneof(
  fc.constantFrom<Json>(
    null,
    true,
    0,
    -1,
    1e308,
    "",
    "${",
    "${input}",
    "${steps.a.output}",
    "1 +",
    "a",
    "wait",
    [],
    {},
  ),
  fc.constantFrom<Json>(
    "branch",
    "parallel",
    "end",
    "enqueue",
    "notify",
    "steps.c.output",
    "${1/0}",
    "${[1,2][5]}",
  ),
  fc.jsonValue().map((value) => value as Json),
);
const mutation = fc.record({ at: fc.nat(1_000), how: fc.constantFrom("set", "delete", "twice"), value: odd });

function mutate(body: Json, { at, how, value }: { at: number; how: string; value: Json }): Json {
  const copy = structuredClone(body);
  const places = placesIn(copy).slice(1);
  const path = places[at % places.length]!;
  const name = path.at(-1)!;
  const holder = path.slice(0, -1).reduce<Json>((inner, part) => (inner as never)[part], copy) as Record<
    string,
    Json
  >;
  if (how === "set") holder[name] = value;
  else if (Array.isArray(holder))
    holder.splice(name as number, how === "delete" ? 1 : 0, ...(how === "delete" ? [] : [value]));
  else if (how === "delete") delete holder[name];
  else holder[JSON.stringify(value).slice(0, 8)] = structuredClone(holder[name]!);
  return copy;
}

/** Plays the outside: everything is answered, and time goes on. */
function play(body: Body, input: unknown): string {
  let now = 1_700_000_000_000;
  const run = {
    id: "r",
    status: "pending",
    deadlineAt: now + 3_600_000,
    outputBytes: 0,
    progressAt: now,
    idleSince: 0,
  };
  let view: RunView = { run: run as Run, input, steps: new Map(), events: [] };
  const waiting: string[] = [];
  const take = (happened: Happened) => {
    const { run: next, steps, calls } = advance(body, view, happened, now);
    const all = new Map(view.steps);
    for (const step of steps) all.set(step.id, step);
    waiting.push(...calls.map(({ id }) => id));
    view = { ...view, run: next, steps: all };
  };
  take({ type: "started" });
  const result: CallResult = { answer: { id: "x", recipient_id: "y", item: { id: "i", pool_id: "p" } } };
  for (let round = 0; round < 200 && !isOver(view.run.status); round++) {
    const id = waiting.shift();
    if (id !== undefined) {
      take({ type: "called", id, result });
      take({ type: "finished", ref: id, finished: { ok: true, state: "completed" } });
      continue;
    }
    const due = nextDue(view, now);
    if (due === 0) return `stuck: ${JSON.stringify([...view.steps.values()])}`;
    now = Math.max(now, due);
    take({ type: "time" });
  }
  return view.run.status;
}

test("10,000 mutated definitions: none is accepted and then stuck, and none throws", (t) => {
  let accepted = 0;
  fc.assert(
    fc.property(fc.array(mutation, { minLength: 1, maxLength: 3 }), fc.constantFrom(1, 2), (mutations, n) => {
      const draft = mutations.reduce<Json>(mutate, sound as unknown as Json);
      const problems = problemsOf(draft as Record<string, unknown>);
      if (problems.length > 0) return;
      accepted++;
      const ended = play(draft as unknown as Body, { user: "u", n, when: "2023-11-15T00:00:00Z" });
      if (!["succeeded", "failed"].includes(ended)) throw new Error(ended);
    }),
    { numRuns: 10_000 },
  );
  t.true(accepted > 500, `${accepted} were accepted`);
});
