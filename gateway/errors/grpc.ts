import { Metadata, type ServiceError } from "@grpc/grpc-js";
import { errorCodes, type Refusal } from "#base";
import { statusBytes } from "./details.ts";
import { refusalHeaders } from "./headers.ts";

/** For grpc-js: status, message and details travel in the trailers. */
export function grpcErrorOf(refusal: Refusal, requestId: string): ServiceError {
  const metadata = new Metadata();
  metadata.set("grpc-status-details-bin", Buffer.from(statusBytes(refusal, requestId)));
  for (const [name, value] of refusalHeaders(refusal)) metadata.set(name, value);
  const { grpc } = errorCodes[refusal.code];
  // grpc-js encodes it where the error that half of a character makes it throw cannot be caught: the thread would end.
  const details = refusal.detail.toWellFormed();
  return Object.assign(new Error(details), {
    code: grpc as number,
    details,
    metadata,
  });
}
