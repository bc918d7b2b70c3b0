/** Our own bug: the owner of the broken state drops it and rebuilds it from what is durable. */
export class AssertionError extends Error {
  override readonly name = "AssertionError";
}

export function assert(condition: unknown, claim: string): asserts condition {
  if (!condition) throw new AssertionError(`does not hold: ${claim}`);
}

/** For the end of a switch over a closed union: the compiler rejects a missing case. */
export function unreachable(value: never): never {
  throw new AssertionError(`unexpected ${JSON.stringify(value)}`);
}
