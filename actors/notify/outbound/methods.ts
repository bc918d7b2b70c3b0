import { method } from "../../kit/ask.ts";
import type {
  CheckTemplatesRequest,
  ConnectionRequest,
  OutboundConnection,
  Rendered,
  RenderRequest,
} from "./types.ts";

/** Body first, then the layout with the body as its `content`. For effects. */
export const renderMessage = method<RenderRequest, Rendered>("layouts", "Render");
/** Every template compiles; refused by field with line and column where one does not. */
export const checkTemplates = method<CheckTemplatesRequest, object>("layouts", "Check");
/** The connection of an integration, stored or static, opened. For effects. */
export const integrationConnection = method<ConnectionRequest, OutboundConnection>(
  "integrations",
  "Connection",
);

/** A connection of the tenant that works, with its credentials in the clear. For effects only. */
export const openConnection = method<ConnectionRequest, OutboundConnection>("connection", "Open");
/** The provider of a connection; NOT_FOUND where the tenant has no such connection. */
export const knownConnection = method<ConnectionRequest, { readonly provider_key: string }>(
  "connection",
  "Known",
);
