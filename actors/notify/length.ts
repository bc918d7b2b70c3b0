import type { FieldError } from "#base";

export function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** Where a value is longer than it may be; one that is absent is not. */
export function lengthProblems(field: string, value: unknown, bytesMax: number): FieldError[] {
  if (value === undefined || bytesOf(value) <= bytesMax) return [];
  return [{ field, reason: `is longer than ${bytesMax} bytes as JSON` }];
}
