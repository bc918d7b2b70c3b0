import { limits, RefusalError, refuse } from "#base";
import type { CallContext } from "../../module.ts";
import { fieldErrors } from "../catalogue/check.ts";
import type { Validate } from "../catalogue/types.ts";

export function wrong(field: string, reason: string): RefusalError {
  return new RefusalError(refuse("INVALID_ARGUMENT", `${field} ${reason}`, { fields: [{ field, reason }] }));
}

export function failed(
  reason: string,
  detail: string,
  extra?: Readonly<Record<string, unknown>>,
): RefusalError {
  return new RefusalError(refuse("FAILED_PRECONDITION", detail, { reason, ...(extra && { extra }) }));
}

/** The bytes of a value that its schema allows. Throws a RefusalError for any other. */
export function checkJson(
  field: string,
  value: unknown,
  { bytesMax, validate }: { readonly bytesMax: number; readonly validate: Validate | undefined },
): number {
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes > bytesMax) throw wrong(field, `is longer than ${bytesMax} bytes`);
  if (validate === undefined || validate(value)) return bytes;
  const fields = fieldErrors(field, validate.errors);
  throw new RefusalError(refuse("INVALID_ARGUMENT", `${fields[0]!.field} ${fields[0]!.reason}`, { fields }));
}

/** For the answer to come back in time. */
const marginMs = 500;

/** How long a call may wait for an end. */
export function waitOf({ deadlineMs, clock }: CallContext, most: number = limits.executionWaitMs): number {
  return Math.max(0, Math.min(most, deadlineMs - clock.now() - marginMs));
}
