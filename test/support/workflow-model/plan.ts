import fc from "fast-check";
import type { Body, Step } from "../../../actors/workflows/body/body.ts";

/** The pool, and the connection, of every step that has one. */
export const pool = "01JD0000000000000000000003";

/** What will happen to each step: known to the interpreter, found out by the run. */
interface Fate {
  /** Refusals that may succeed later, before the last answer. */
  readonly busy: number;
  readonly fails: boolean;
  /** `when` of the step. */
  readonly wanted: boolean;
}

export interface Plan {
  readonly body: Body;
  readonly fates: ReadonlyMap<string, Fate>;
  /** Steps that wait for their item or their execution. */
  readonly held: ReadonlySet<string>;
}

type Shape =
  | {
      type: "wait" | "route" | "enqueue" | "item" | "action" | "notify" | "wait_event" | "end";
      fate: Fate;
      goesOn: boolean;
    }
  | { type: "branch"; fate: Fate; goesOn: boolean; take: number; lists: Shape[][] }
  | { type: "parallel"; fate: Fate; goesOn: boolean; any: boolean; lists: Shape[][] };

export const rarely = fc.integer({ min: 0, max: 6 }).map((n) => n === 0);
const sound = fc.record({ busy: fc.nat(3), fails: rarely, wanted: rarely.map((unwanted) => !unwanted) });

const leaf = fc.record({
  type: fc.constantFrom(
    "wait",
    "route",
    "enqueue",
    "item",
    "action",
    "notify",
    "wait_event",
    "wait",
    "route",
  ) as fc.Arbitrary<"wait">,
  fate: sound,
  goesOn: fc.boolean(),
}) as fc.Arbitrary<Shape>;
const ending = fc.record({
  type: fc.constant("end" as const),
  fate: sound,
  goesOn: fc.constant(false),
}) as fc.Arbitrary<Shape>;

function shapes(depth: number): fc.Arbitrary<Shape> {
  if (depth === 0) return leaf;
  const lists = fc.array(fc.array(shapes(depth - 1), { minLength: 1, maxLength: 3 }), {
    minLength: 1,
    maxLength: 3,
  });
  return fc.oneof(
    { weight: 5, arbitrary: leaf },
    { weight: 1, arbitrary: ending },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant("branch" as const),
        fate: sound,
        goesOn: fc.boolean(),
        take: fc.nat(3),
        lists,
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant("parallel" as const),
        fate: sound,
        goesOn: fc.boolean(),
        any: rarely,
        lists,
      }),
    },
  );
}

function planOf(list: readonly Shape[]): Plan {
  const fates = new Map<string, Fate>();
  const held = new Set<string>();
  let made = 0;
  const stepOf = (shape: Shape): Step => {
    const id = `s${++made}`;
    fates.set(id, shape.fate);
    const common = {
      id,
      ...(!shape.fate.wanted && { when: "input.never" }),
      ...(shape.goesOn && { on_error: "continue" as const }),
      retry: { max_attempts: 3, initial_ms: 100 },
    };
    switch (shape.type) {
      case "wait":
        return { ...common, type: "wait", seconds: (made % 3) * 7 };
      case "route":
        return { ...common, type: "route", pool_id: pool };
      case "enqueue":
        return { ...common, type: "enqueue", pool_id: pool };
      case "item":
        held.add(id);
        return { ...common, type: "enqueue", pool_id: pool, wait: true };
      case "action":
        held.add(id);
        return { ...common, type: "action", action_key: "http.request", connection_id: pool };
      case "notify":
        return { ...common, type: "notify", to: { topic: "news" } };
      case "wait_event":
        return { ...common, type: "wait_event", event_key: id };
      case "end":
        return { ...common, type: "end", status: shape.fate.fails ? "failed" : "succeeded", output: id };
      case "branch":
        return {
          ...common,
          type: "branch",
          cases: shape.lists.map((steps, index) => ({
            when: index === shape.take ? "!input.never" : "input.never",
            steps: steps.map(stepOf),
          })),
        };
      case "parallel":
        return {
          ...common,
          type: "parallel",
          ...(shape.any && { until: "any" }),
          branches: shape.lists.map((steps) => steps.map(stepOf)),
        };
    }
  };
  return { body: { steps: list.map(stepOf), output: "done" }, fates, held };
}

export const plans = fc.array(shapes(2), { minLength: 1, maxLength: 4 }).map(planOf);
