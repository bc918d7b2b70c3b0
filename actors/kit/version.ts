import { type Refusal, refuse } from "#base";

/** An optimistic writer says which version it saw; without one the last writer wins. */
export function checkVersion(
  stored: number,
  expected: number | undefined,
  field = "record_version",
): Refusal | undefined {
  if (expected === undefined || expected === stored) return undefined;
  return refuse("VERSION_CONFLICT", `${field} is ${stored}, not ${expected}`, {
    extra: { [field]: stored },
  });
}
