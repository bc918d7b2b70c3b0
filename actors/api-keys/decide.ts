import { isRefusal, limits } from "#base";
import type { Context, Decision } from "#runtime";
import type { ApiKeyCreation, ApiKeyRecord } from "../kit/api-key-record.ts";
import { decideOneRecord, findRecord, noRecord, type OneRecordCommand } from "../kit/decide.ts";
import type { EntityPurge } from "../kit/directory.ts";
import { apiKeyResource, type State } from "./record.ts";
import type { Event } from "./state.ts";

export type Command =
  | ApiKeyCreation
  | EntityPurge
  | OneRecordCommand
  /** Who verifies a key looks at it and uses it: its tenant is not known there yet. */
  | { readonly type: "look" | "use" };

export function decide(state: State, command: Command, context: Context): Decision<Event> {
  switch (command.type) {
    case "create":
      return { events: state.records.size > 0 ? [] : [changed(null, command.key)] };
    case "purge": {
      const { id, tenant } = command;
      return { events: [{ type: "purged", id, tenant }], frees: true };
    }
    case "look":
    case "use": {
      const key = findRecord(apiKeyResource, state, context.address.key, context);
      if (isRefusal(key)) return key;
      if (command.type === "look") return { events: [], answer: key };
      const isRecent = context.now - (key.lastUsedAt ?? 0) < limits.apiKeyUsedEveryMs;
      const events = isRecent || key.revokedAt ? [] : [changed(key, { ...key, lastUsedAt: context.now })];
      return { events, answer: {} };
    }
    default: {
      const { tenant } = state.records.get(command.id) ?? {};
      if (tenant !== context.caller?.tenant) return noRecord(apiKeyResource, command.id);
      return decideOneRecord(apiKeyResource, state, command, context);
    }
  }
}

function changed(before: ApiKeyRecord | null, after: ApiKeyRecord): Event {
  return { type: "record_changed", before, after };
}
