import type { Registry } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import type { Refusal } from "#base";
import type { Invoker } from "../calls/invoke.ts";
import type { ThreadBounds } from "../http/bounds.ts";

/** What the RPC doors of one plane are made of. */
export interface RpcParts {
  readonly invoker: Invoker;
  /** Finds the types inside google.protobuf.Any, for JSON. */
  readonly registry: Registry;
  /** One message, decompressed. */
  readonly messageBytesMax: number;
  readonly bounds: Pick<ThreadBounds, "requests">;
  /** Where the streams that HTTP/1.1 cannot carry are served, for the message that says so. */
  readonly nativeAddresses: string;
  /** Before the code in `type` of a problem: who speaks none of the protocols gets one. */
  readonly errorsUrl: string;
  /** How refusals are written; tests of the protocols themselves bring their own. */
  readonly connectErrorOf: (refusal: Refusal, requestId: string) => ConnectError;
}
