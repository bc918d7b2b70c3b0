import { status as codes, type ServerInterceptor } from "@grpc/grpc-js";
import { type Refusal, refuse } from "#base";
import { newRequestId } from "../calls/stages/request-id.ts";
import { timedOut } from "../calls/stages/status-mapping.ts";
import { grpcErrorOf } from "../errors/grpc.ts";
import { tooLarge } from "../http/body.ts";

/**
 * What grpc-js refuses by itself, before anybody sees the message, told as every door tells it. Such a status has no
 * metadata, and passes only the call that interceptors are given.
 */
export function ownStatuses(messageBytesMax: number): ServerInterceptor {
  return (_method, call) => {
    const send = call.sendStatus.bind(call);
    call.sendStatus = (status) => {
      const refusal = status.metadata ? undefined : refusalOf(status, messageBytesMax);
      if (refusal === undefined) return send(status);
      const requestId = newRequestId();
      const error = grpcErrorOf(refusal, requestId);
      error.metadata.set("x-request-id", requestId);
      send(error);
    };
    return call as ReturnType<ServerInterceptor>;
  };
}

interface OwnStatus {
  readonly code: codes;
  readonly details: string;
}

function refusalOf({ code, details }: OwnStatus, messageBytesMax: number): Refusal | undefined {
  switch (code) {
    case codes.RESOURCE_EXHAUSTED:
      return tooLarge(messageBytesMax);
    case codes.DEADLINE_EXCEEDED:
      return timedOut;
    case codes.UNIMPLEMENTED:
      return refuse("UNIMPLEMENTED", details);
    case codes.INTERNAL:
      // It also says so of an answer of ours that cannot be written, and that is the truth.
      return sentWrongly.test(details) ? refuse("INVALID_ARGUMENT", details) : undefined;
    default:
      return undefined;
  }
}

const sentWrongly = /^(Invalid grpc-timeout|Failed to decompress)/;
