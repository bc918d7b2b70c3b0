/** Where an expression is wrong, and why. */
export interface CelProblem {
  /** Both from 1. */
  readonly line: number;
  readonly column: number;
  readonly reason: string;
}
