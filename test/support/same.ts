import { isDeepStrictEqual } from "node:util";
import type { ExecutionContext } from "ava";

/**
 * For values whose members have any names: ava's own comparison treats a value with a `length` and a `0` as a list, and
 * runs out of memory if that length is large. A property test prints its counterexample itself.
 */
export function same(t: ExecutionContext, actual: unknown, expected: unknown): void {
  t.true(isDeepStrictEqual(actual, expected), "the two are the same");
}
