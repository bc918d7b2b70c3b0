import type { JsonSchema } from "../../kit/json-schema.ts";
import type { NoticeParts } from "../../notify/notice.ts";

/** What a version of a definition says, once it has no problems. Names are those of the contract: it is stored as it came. */
export interface Body extends NoticeParts {
  /** Of the body's own shape; unset: 1. */
  readonly schema?: number;
  readonly input?: JsonSchema;
  readonly steps: readonly Step[];
  readonly timeout_seconds?: number;
  /** Of a run that gets to its end: a template. */
  readonly output?: unknown;
}

export interface Step {
  readonly id: string;
  readonly type: string;
  /** CEL; false: the step is skipped. */
  readonly when?: string;
  readonly retry?: {
    readonly max_attempts?: number;
    readonly initial_ms?: number;
    readonly max_ms?: number;
  };
  readonly timeout_seconds?: number;
  readonly on_error?: "fail" | "continue";
  /** CEL over `output` too: what of the output is kept. */
  readonly select?: string;
  readonly [field: string]: unknown;
}

interface Case {
  readonly when: string;
  readonly steps: readonly Step[];
}

/** Whether a version has something that notifications use whenever its key is triggered. */
export function saysNotice({ channels, preference, ttl_seconds }: NoticeParts): true | undefined {
  return channels || preference || ttl_seconds !== undefined ? true : undefined;
}

/** The shape of bodies that this build runs. */
export const bodySchema = 1;

/** The lists of steps inside a step, with where they are. */
export function listsIn(step: Step): { readonly path: string; readonly steps: readonly Step[] }[] {
  if (step.type === "branch") {
    const cases = (step.cases ?? []) as readonly Case[];
    const lists = cases.map(({ steps }, index) => ({ path: `cases[${index}].steps`, steps }));
    return step.else ? [...lists, { path: "else", steps: step.else as readonly Step[] }] : lists;
  }
  if (step.type === "parallel")
    return (step.branches as readonly (readonly Step[])[]).map((steps, index) => ({
      path: `branches[${index}]`,
      steps,
    }));
  return [];
}

/** All steps, those inside others after them. */
export function allSteps(steps: readonly Step[]): Step[] {
  return steps.flatMap((step) => [step, ...listsIn(step).flatMap((list) => allSteps(list.steps))]);
}

/** All steps, with where they are. */
export function placedSteps(
  steps: readonly Step[],
  at: string,
): { readonly path: string; readonly step: Step }[] {
  return steps.flatMap((step, index) => {
    const path = `${at}[${index}]`;
    const inner = listsIn(step).flatMap((list) => placedSteps(list.steps, `${path}.${list.path}`));
    return [{ path, step }, ...inner];
  });
}
