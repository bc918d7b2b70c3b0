import { isRefusal, limits, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import type { Filter } from "./collection.ts";

import { checkEnvironment, environmentFor } from "./environment.ts";
import { listed, type PageRequest, partOf } from "./list.ts";
import { limitReached, type Message, newRecord, nextRecord, type Owned, updatedSettings } from "./record.ts";
import { type Resource, resourceMessage, snakeCase } from "./resource.ts";
import type { RecordEvent, RecordState } from "./state.ts";
import type { TenantPurge } from "./tenant.ts";
import { checkVersion } from "./version.ts";

export type RecordCommand =
  | TenantPurge
  | { readonly type: "create_record"; readonly given: Message }
  | { readonly type: "get_record"; readonly id: string }
  | { readonly type: "list_records"; readonly request: PageRequest & Message }
  /** A part of a list over several entities: values after an id, without a cursor. */
  | {
      readonly type: "list_part";
      readonly filter: Filter;
      readonly after?: string;
      readonly most: number;
    }
  | { readonly type: "update_record"; readonly id: string; readonly given: Message }
  /** `action`: its name in the resource. */
  | {
      readonly type: "change_record";
      readonly id: string;
      readonly action: string;
      readonly given: Message;
    }
  | { readonly type: "delete_record"; readonly id: string; readonly version?: number };

/** Every decision has its `answer`, in the words of the contract. */
export function decideRecord<Value extends Owned>(
  resource: Resource<Value>,
  state: RecordState,
  command: RecordCommand,
  context: Context,
): Decision<RecordEvent<Value>> {
  switch (command.type) {
    case "purge":
      return { events: [{ type: "purged" }], frees: true };
    case "create_record":
      return create(resource, state, command.given, context);
    case "list_records":
      return list(resource, state, command.request, context);
    case "list_part": {
      const { filter, after, most } = command;
      const part = resource.collection.after(state.counts, filter, context, after, most);
      const shown = part.values.map((record) => resourceMessage(resource, record));
      return { events: [], answer: partOf(shown, most, part.total) };
    }
    case "get_record":
    case "update_record":
    case "change_record":
    case "delete_record":
      return decideOne(resource, command, context);
  }
}

function create<Value extends Owned>(
  resource: Resource<Value>,
  state: RecordState,
  given: Message,
  context: Context,
): Decision<RecordEvent<Value>> {
  const { collection, most = limits.recordsMax, owner, many } = resource;
  if (collection.total(state.counts) >= most) return limitReached(owner, most, snakeCase(many));
  const found = environmentFor(context.caller);
  if (isRefusal(found)) return found;
  const settings = resource.settingsOf(given);
  if (isRefusal(settings)) return settings;
  const { tenant, key } = context.address;
  const owned = { ...settings, tenant, environment: found.environment };
  // The ids of a partitioned collection carry the key of the entity that has them.
  const record = newRecord(key === "" ? context.newId() : context.newId(key), owned, context.now);
  return put(resource, null, record as unknown as Value, context);
}

function decideOne<Value extends Owned>(
  resource: Resource<Value>,
  command: Extract<RecordCommand, { id: string }>,
  context: Context,
): Decision<RecordEvent<Value>> {
  const stored = resource.collection.get(command.id, context);
  if (stored === null) return refuse("NOT_FOUND", `there is no such ${snakeCase(resource.one)}`);
  const foreign = checkEnvironment(stored.environment, context.caller);
  if (foreign) return foreign;
  switch (command.type) {
    case "get_record":
      return { events: [], answer: resourceMessage(resource, stored) };
    case "update_record": {
      const changed = updatedSettings(stored, resource.messageOf(stored), command.given, resource);
      if (isRefusal(changed)) return changed;
      const settings = resource.settingsOf(changed);
      if (isRefusal(settings)) return settings;
      return replace(resource, stored, { ...stored, ...settings }, context);
    }
    case "change_record": {
      const { change, publishes } = resource.actions![command.action]!;
      const conflict = checkVersion(stored.recordVersion, command.given.record_version as number | undefined);
      if (conflict) return conflict;
      const changed = change(stored, command.given, context.now);
      return isRefusal(changed) ? changed : replace(resource, stored, changed, context, publishes);
    }
    case "delete_record": {
      const conflict = checkVersion(stored.recordVersion, command.version);
      if (conflict) return conflict;
      return {
        events: [{ type: "record_removed", record: stored }],
        answer: { id: stored.id, deleted: true },
      };
    }
  }
}

function replace<Value extends Owned>(
  resource: Resource<Value>,
  stored: Value,
  changed: Value,
  context: Context,
  kind?: string,
): Decision<RecordEvent<Value>> {
  const next = nextRecord(stored, changed, context.now);
  return next
    ? put(resource, stored, next, context, kind)
    : { events: [], answer: resourceMessage(resource, stored) };
}

function put<Value extends Owned>(
  resource: Resource<Value>,
  before: Value | null,
  after: Value,
  context: Context,
  kind?: string,
): Decision<RecordEvent<Value>> {
  const conflict = resource.collection.conflict(after, context);
  if (conflict)
    return refuse(
      "ALREADY_EXISTS",
      `there is another ${snakeCase(resource.one)} with this ${conflict.taken}`,
    );
  return {
    events: [{ type: "record_put", before, after, ...(kind !== undefined && { kind }) }],
    answer: resourceMessage(resource, after),
  };
}

function list<Value extends Owned>(
  resource: Resource<Value>,
  state: RecordState,
  request: PageRequest & Message,
  context: Context,
): Decision<RecordEvent<Value>> {
  const asked = { request, filter: request as Filter };
  const show = (record: Value) => resourceMessage(resource, record);
  return listed(snakeCase(resource.many), resource.collection.page(state.counts, asked, show, context));
}
