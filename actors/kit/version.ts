import { type Refusal, refuse } from "#base";

/** An optimistic writer says which version it saw; without one the last writer wins. */
export function checkVersion(stored: number, expected: number | undefined): Refusal | undefined {
  if (expected === undefined || expected === stored) return undefined;
  return refuse("VERSION_CONFLICT", `record_version is ${stored}, not ${expected}`, {
    extra: { record_version: stored },
  });
}
