import { Code, type ConnectError } from "@connectrpc/connect";
import type { UniversalServerResponse } from "@connectrpc/connect/protocol";
import { endStreamFromJson } from "@connectrpc/connect/protocol-connect";
import { findTrailerError } from "@connectrpc/connect/protocol-grpc";
import { trailerFlag, trailerParse } from "@connectrpc/connect/protocol-grpc-web";
import type { Refusal } from "#base";
import { tooLarge } from "../http/body.ts";
import type { RpcParts } from "./parts.ts";
import { toRefusalError } from "./refusal-of.ts";

/** An answer of connect-es to a request that it could not read: short, and complete before it is sent. */
export interface OwnAnswer {
  readonly response: UniversalServerResponse;
  readonly body: Buffer;
}

/** What connect-es refuses by itself, before it calls us, told as every door tells it; its own answers have no details. */
export function ownRefusal(answer: OwnAnswer, parts: RpcParts, unreadable: Refusal): Refusal | undefined {
  const error = errorIn(answer);
  if (error === undefined) return undefined;
  const refusal = messageRefusal(error, parts, unreadable);
  // A message that is packed in no way that was named stays as it was told: the protocols want it to be internal.
  if (refusal !== undefined || error.code === Code.Internal) return refusal;
  return toRefusalError(error, parts.invoker.log).refusal;
}

/** Of a message that is too large or of another type, which connect-es says in words of its own; `undefined`: of another error. */
export function messageRefusal(
  { code, rawMessage }: ConnectError,
  { messageBytesMax }: RpcParts,
  unreadable: Refusal,
): Refusal | undefined {
  if (code === Code.ResourceExhausted) return tooLarge(messageBytesMax);
  return rawMessage.startsWith("parse binary") ? unreadable : undefined;
}

/** As the caller's protocol has it: in trailers, or in a last message that is the only one. */
function errorIn({ response: { trailer }, body }: OwnAnswer): ConnectError | undefined {
  if (trailer !== undefined) return findTrailerError(trailer);
  const last = body.subarray(5);
  return body[0] === trailerFlag ? findTrailerError(trailerParse(last)) : endStreamFromJson(last).error;
}
