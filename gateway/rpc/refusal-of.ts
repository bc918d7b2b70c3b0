import { Code, ConnectError } from "@connectrpc/connect";
import { type ErrorCode, type Refusal, RefusalError, refuse, toFault } from "#base";
import { masked } from "../calls/stages/error-masking.ts";
import type { PipelineTelemetry } from "../calls/stages/stage.ts";
import { cancelled } from "../calls/stages/status-mapping.ts";

/**
 * What went wrong outside the pipeline, in our words: connect-es could not read the request, or we could not write the
 * answer. The latter is our own bug, and told like one.
 */
export function toRefusalError(thrown: unknown, log: Log): RefusalError {
  return thrown instanceof RefusalError ? thrown : new RefusalError(refusalOf(thrown, log));
}

type Log = PipelineTelemetry["log"];

function refusalOf(thrown: unknown, log: Log): Refusal {
  const fault = toFault(thrown);
  if ("refusal" in fault) return fault.refusal;
  const { error } = fault;
  if (error instanceof ConnectError && error.cause instanceof RefusalError) return error.cause.refusal;
  if (error instanceof ConnectError) return refuse(codes[error.code] ?? "INVALID_ARGUMENT", error.rawMessage);
  return error.name === "AbortError" ? cancelled : masked(error, log);
}

/** Only what a protocol implementation itself reports about a request. */
const codes: Partial<Record<Code, ErrorCode>> = {
  [Code.Canceled]: "CANCELLED",
  [Code.Aborted]: "CANCELLED",
  [Code.DeadlineExceeded]: "TIMEOUT",
  [Code.ResourceExhausted]: "PAYLOAD_TOO_LARGE",
  [Code.Unimplemented]: "UNIMPLEMENTED",
};
