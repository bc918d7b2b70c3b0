import { isDeepStrictEqual } from "node:util";
import type { ExecutionContext } from "ava";

/**
 * For values whose members have any names: ava's own comparison takes one with a `length` and a `0` for a list, and runs out of
 * memory where that length is large. A property tells its counterexample itself.
 */
export function same(t: ExecutionContext, actual: unknown, expected: unknown): void {
  t.true(isDeepStrictEqual(actual, expected), "the two are the same");
}
