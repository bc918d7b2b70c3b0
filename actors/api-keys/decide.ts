import { limits, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import type { ApiKeyCreation } from "../kit/api-key-record.ts";
import type { EntityPurge } from "../kit/directory.ts";
import type { Event, State } from "./state.ts";

export type Command =
  | ApiKeyCreation
  | EntityPurge
  | { readonly type: "get" }
  /** From a door that has to verify the key: its tenant is not known there yet. */
  | { readonly type: "look" }
  /** A door has verified the key. */
  | { readonly type: "use" }
  | { readonly type: "revoke" };

export function decide(state: State, command: Command, context: Context): Decision<Event> {
  const { key } = state;
  if (command.type === "create") return { events: key ? [] : [{ type: "created", key: command.key }] };
  if (command.type === "purge")
    return { events: [{ type: "purged", id: command.id, tenant: command.tenant }], frees: true };
  if (!key || (isTenants(command) && key.tenant !== context.caller?.tenant))
    return refuse("NOT_FOUND", "there is no such API key");
  switch (command.type) {
    case "get":
    case "look":
      return { events: [] };
    case "use": {
      const isRecent = context.now - (key.lastUsedAt ?? 0) < limits.apiKeyUsedEveryMs;
      return { events: isRecent || key.revokedAt ? [] : [{ type: "used", atMs: context.now }] };
    }
    case "revoke":
      return { events: key.revokedAt ? [] : [{ type: "revoked", atMs: context.now }] };
  }
}

function isTenants({ type }: Command): boolean {
  return type === "get" || type === "revoke";
}
