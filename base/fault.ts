import { isRefusal, type Refusal, RefusalError } from "./refusal.ts";

export type Fault = { readonly refusal: Refusal } | { readonly error: Error };

/** The one door for a caught unknown: either a refusal meant for the caller, or an error meant for the log. */
export function toFault(thrown: unknown): Fault {
  if (thrown instanceof RefusalError) return { refusal: thrown.refusal };
  if (isRefusal(thrown)) return { refusal: thrown };
  return { error: asError(thrown) };
}

/** What was thrown, as an error; those of Node have a `code`. */
export function asError(thrown: unknown): NodeJS.ErrnoException {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
