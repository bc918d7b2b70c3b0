import { contractMethod, method } from "../../kit/ask.ts";
import type { Message } from "../../kit/record.ts";
import type { ClientSecret, Reencrypt, UpdateRequest } from "./decide.ts";
import type { ProviderConfig } from "./state.ts";

const kind = "provider_config";

export const getProviderConfig = contractMethod<object, Message>(
  kind,
  "ProviderConfigService.GetProviderConfig",
);
/** The record, with its encrypted client secret; for a connection: as a canary gives it to that one. */
export const snapshot = method<{ readonly connection_id?: string }, ProviderConfig>(kind, "Snapshot");
export const update = method<UpdateRequest, Message>(kind, "Update");
/** The connection that has this name, a new one where none has. */
export const takeExternalId = method<
  { readonly external_id: string },
  { readonly connection_id: string; readonly record: ProviderConfig }
>(kind, "TakeExternalId");
export const secrets = method<
  object,
  { readonly record: ProviderConfig; readonly secrets: readonly ClientSecret[] }
>(kind, "Secrets");
export const reencrypt = method<Reencrypt, { readonly reencrypted: boolean }>(kind, "Reencrypt");
