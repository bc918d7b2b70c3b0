import { method } from "../../kit/ask.ts";
import type { ConnectionRequest, OutboundConnection } from "./types.ts";

/** A connection of the tenant that works, with its credentials in the clear. For effects only. */
export const openConnection = method<ConnectionRequest, OutboundConnection>("connection", "Open");
/** The provider of a connection; NOT_FOUND where the tenant has no such connection. */
export const knownConnection = method<ConnectionRequest, { readonly provider_key: string }>(
  "connection",
  "Known",
);
