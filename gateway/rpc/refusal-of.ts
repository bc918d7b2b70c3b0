import { Code, ConnectError } from "@connectrpc/connect";
import { type ErrorCode, type Refusal, RefusalError, refuse, toFault } from "#base";

/** What connect-es found wrong with a request, in our words; the way back of `connectErrorOf`. */
export function refusalOf(thrown: unknown): Refusal {
  const fault = toFault(thrown);
  if ("refusal" in fault) return fault.refusal;
  const error = ConnectError.from(fault.error);
  return refuse(codes[error.code] ?? "INVALID_ARGUMENT", error.rawMessage);
}

export function toRefusalError(thrown: unknown): RefusalError {
  return thrown instanceof RefusalError ? thrown : new RefusalError(refusalOf(thrown));
}

/** Only what a protocol implementation itself reports about a request. */
const codes: Partial<Record<Code, ErrorCode>> = {
  [Code.Canceled]: "CANCELLED",
  [Code.Aborted]: "CANCELLED",
  [Code.DeadlineExceeded]: "TIMEOUT",
  [Code.ResourceExhausted]: "PAYLOAD_TOO_LARGE",
  [Code.Unimplemented]: "UNIMPLEMENTED",
};
