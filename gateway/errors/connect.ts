import { ConnectError } from "@connectrpc/connect";
import { errorCodes, type Refusal } from "#base";
import { detailsOf } from "./details.ts";
import { refusalHeaders } from "./headers.ts";

/** For every door that connect-es writes: Connect, gRPC-Web, and gRPC on the native listener. */
export function connectErrorOf(refusal: Refusal, requestId: string): ConnectError {
  // connect-es cannot write half of a character into a trailer.
  const error = new ConnectError(refusal.detail.toWellFormed(), errorCodes[refusal.code].grpc, [
    ...refusalHeaders(refusal),
  ] as [string, string][]);
  error.details = detailsOf(refusal, requestId).map(({ desc, value }) => ({ desc, value }));
  return error;
}
