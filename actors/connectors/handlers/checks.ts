import { type ErrorCode, invalid, limits, RefusalError, refusalError } from "#base";
import type { CallContext } from "../../module.ts";
import { fieldErrors } from "../catalogue/check.ts";
import type { Provider, Validate } from "../catalogue/types.ts";
import type { Parts } from "../parts.ts";

export function wrong(field: string, reason: string): RefusalError {
  return new RefusalError(invalid({ field, reason }));
}

export function refused(code: ErrorCode, detail: string): RefusalError {
  return refusalError(code, detail);
}

export function notFound(detail: string): RefusalError {
  return refused("NOT_FOUND", detail);
}

export function failed(
  reason: string,
  detail: string,
  extra?: Readonly<Record<string, unknown>>,
): RefusalError {
  return refusalError("FAILED_PRECONDITION", detail, { reason, ...(extra && { extra }) });
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
  throw new RefusalError(invalid(...fieldErrors(field, validate.errors)));
}

/** For the answer to come back in time. */
const marginMs = 500;

/** How long a call may wait for an end. */
export function waitOf({ deadlineMs, clock }: CallContext, most: number = limits.executionWaitMs): number {
  return Math.max(0, Math.min(most, deadlineMs - clock.now() - marginMs));
}

export function providerOf(parts: Parts, { providerKey }: { readonly providerKey: string }): Provider {
  const provider = parts.catalogue().providers.get(providerKey);
  if (provider !== undefined) return provider;
  throw failed("PROVIDER_UNKNOWN", `the catalogue has no provider ${providerKey} any more`);
}
