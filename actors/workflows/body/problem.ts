import { limits } from "#base";

/** What keeps a draft from being published. */
export interface Problem {
  /** Where it is in the draft: `steps[2].input.to`. */
  readonly path: string;
  readonly code: "INVALID" | "EXPRESSION" | "REFERENCE" | "MODULE_ABSENT";
  readonly reason: string;
  /** Of an expression: where in its text, from 1. */
  readonly line?: number;
  readonly column?: number;
}

/** Collects problems, up to a number that can be read and stored. */
export class Problems {
  readonly list: Problem[] = [];

  add(
    path: string,
    reason: string,
    code: Problem["code"] = "INVALID",
    place?: { line: number; column: number },
  ): void {
    if (this.list.length >= limits.workflowProblemsMax) return;
    this.list.push({ path, code, reason, ...(place && { line: place.line, column: place.column }) });
  }
}
