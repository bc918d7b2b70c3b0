import type { Step } from "../../../actors/workflows/body/body.ts";
import type { Plan } from "./plan.ts";

type Expected = { readonly status: "succeeded" | "failed"; readonly by?: string };

/** Straight: the calls that are made in order, step by step, and how the list ends. Parallels have no order among them. */
export function interpret({ body, fates }: Plan): { calls: Set<string>; end: Expected; racy: boolean } {
  const calls = new Set<string>();
  let racy = false;
  const list = (steps: readonly Step[]): Expected | undefined => {
    for (const step of steps) {
      const end = one(step);
      if (end) return end;
    }
    return undefined;
  };
  const one = (step: Step): Expected | undefined => {
    const { busy, fails, wanted } = fates.get(step.id)!;
    if (!wanted) return undefined;
    const failed: Expected | undefined =
      step.on_error === "continue" ? undefined : { status: "failed", by: step.id };
    switch (step.type) {
      case "route":
      case "action":
      case "notify":
      case "enqueue": {
        const attempts = Math.min(busy + 1, 3);
        for (let attempt = 1; attempt <= attempts; attempt++) calls.add(`${step.id}/${attempt}`);
        return busy >= 3 || fails ? failed : undefined;
      }
      case "end":
        return { status: step.status as Expected["status"], by: step.id };
      case "branch": {
        const cases = step.cases as { when: string; steps: Step[] }[];
        const taken = cases.find(({ when }) => when === "!input.never");
        const end = taken && list(taken.steps);
        return endOf(step, end);
      }
      case "parallel": {
        const lists = step.branches as Step[][];
        const ends = lists.map(list).filter((end) => end !== undefined);
        // Which of several ends first depends on their times; all calls that there may be are known.
        if (lists.length > 1 && (ends.length > 0 || step.until === "any")) racy = true;
        if (step.until === "any" && ends.length < lists.length) return undefined;
        // One that the run goes on after may be first: what follows may be called.
        const outcomes = ends.map((end) => endOf(step, end));
        return outcomes.includes(undefined) ? undefined : outcomes[0];
      }
      default:
        return undefined;
    }
  };
  const endOf = (step: Step, end: Expected | undefined): Expected | undefined => {
    if (!end) return undefined;
    const isEnd = [...endsIn(body.steps)].includes(end.by!);
    return isEnd || step.on_error !== "continue" ? end : undefined;
  };
  const end = list(body.steps) ?? { status: "succeeded" };
  return { calls, end, racy };
}

function* endsIn(steps: readonly Step[]): Iterable<string> {
  for (const step of steps) {
    if (step.type === "end") yield step.id;
    for (const { steps: inner } of (step.cases as { steps: Step[] }[] | undefined) ?? [])
      yield* endsIn(inner);
    for (const inner of (step.branches as Step[][] | undefined) ?? []) yield* endsIn(inner);
  }
}
