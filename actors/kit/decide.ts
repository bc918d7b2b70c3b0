import { isRefusal, limits, type Refusal, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import type { Filter } from "./collection.ts";
import { checkEnvironment, environmentFor } from "./environment.ts";
import { listed, type PageRequest, partOf } from "./list.ts";
import { limitReached, type Message, newRecord, nextRecord, type Stored, updatedSettings } from "./record.ts";
import { type Changed, type RecordState, type Resource, snakeCase } from "./resource.ts";
import type { RecordChanged, RecordEvent } from "./state.ts";
import type { TenantPurge } from "./tenant.ts";
import { checkVersion } from "./version.ts";

export type RecordCommand =
  | TenantPurge
  | { readonly type: "create_record"; readonly given: Message }
  | { readonly type: "list_records"; readonly request: PageRequest & Message }
  | ListPart
  | OneRecordCommand;

export type OneRecordCommand =
  | {
      readonly type: "get_record" | "update_record" | "delete_record";
      readonly id: string;
      readonly given: Message;
    }
  /** `name`: of the action, or of what reads, in the resource. */
  | {
      readonly type: "change_record" | "read_record";
      readonly id: string;
      readonly name: string;
      readonly given: Message;
    };

/** A part of a list over several entities: values after an id, without a cursor. */
export interface ListPart {
  readonly type: "list_part";
  readonly filter: Filter;
  readonly after?: string;
  readonly most: number;
}

type State = RecordState<unknown>;

/** Every decision has its `answer`, in the words of the contract. */
export function decideRecord<Value extends Stored, S extends State, Own>(
  resource: Resource<Value, S, Own>,
  state: S,
  command: RecordCommand,
  context: Context,
): Decision<RecordEvent<Value> | Own> {
  switch (command.type) {
    case "purge":
      return { events: [{ type: "purged" }], frees: true };
    case "create_record":
      return createRecord(resource, state, command.given, context);
    case "list_records":
      return list(resource, state, command.request, context);
    case "list_part":
      return listPart(resource, state, command, context);
    default:
      return decideOneRecord(resource, state, command, context);
  }
}

export function noRecord({ one, missing }: Pick<Resource<never>, "one" | "missing">, id: string): Refusal {
  return refuse("NOT_FOUND", missing?.(id) ?? `there is no such ${snakeCase(one).replaceAll("_", " ")}`);
}

/** The record with this id, where there is one that the caller may see. */
export function findRecord<Value extends Stored, S extends State, Own>(
  resource: Resource<Value, S, Own>,
  state: S,
  id: string,
  context: Context,
): Value | Refusal {
  const stored = resource.store.find(state.records, id, context);
  if (stored === null) return noRecord(resource, id);
  const foreign = "environment" in stored && checkEnvironment(stored.environment as string, context.caller);
  return foreign || stored;
}

export function createRecord<Value extends Stored, S extends State, Own>(
  resource: Resource<Value, S, Own>,
  state: S,
  given: Message,
  context: Context,
): Decision<RecordChanged<Value> | Own> {
  const { store, most = limits.recordsMax, many } = resource;
  if (store.total(state.records) >= most)
    return limitReached("a tenant", most, snakeCase(many).replaceAll("_", " "));
  const found = store.filters.includes("environment") ? environmentFor(context.caller) : undefined;
  if (isRefusal(found)) return found;
  const settings = resource.settingsOf!(given, null);
  if (isRefusal(settings)) return settings;
  const { tenant, key } = context.address;
  const owned = { ...settings, ...(found && { tenant, environment: found.environment }) };
  // The ids of a partitioned collection carry the key of the entity that has them.
  const record = newRecord(key === "" ? context.newId() : context.newId(key), owned, context.now);
  return changed(resource, state, { before: null, after: record as unknown as Value }, { given, context });
}

export function decideOneRecord<Value extends Stored, S extends State, Own>(
  resource: Resource<Value, S, Own>,
  state: S,
  command: OneRecordCommand,
  context: Context,
): Decision<RecordChanged<Value> | Own> {
  const stored = findRecord(resource, state, command.id, context);
  if (isRefusal(stored)) return stored;
  const { given } = command;
  if (command.type === "get_record") return { events: [], answer: resource.messageOf(stored, state) };
  if (command.type === "read_record") {
    const answer = resource.reads![command.name]!.answer(stored, given, state, context);
    return isRefusal(answer) ? answer : { events: [], answer };
  }
  const { versionField = "record_version" } = resource;
  const expected = given[versionField] as number | undefined;
  const conflict = checkVersion(stored.recordVersion, expected, versionField);
  if (conflict) return resource.stale?.(stored) ?? conflict;
  switch (command.type) {
    case "update_record": {
      const settings = settingsFor(resource, state, stored, given);
      if (isRefusal(settings)) return settings;
      return replaceRecord(resource, state, stored, { ...stored, ...settings }, { given, context });
    }
    case "change_record": {
      const { change, publishes } = resource.actions![command.name]!;
      const after = change(stored, given, context.now);
      if (isRefusal(after)) return after;
      return replaceRecord(resource, state, stored, after, { given, context, kind: publishes });
    }
    case "delete_record":
      return changed(resource, state, { before: stored, after: null }, { given, context });
  }
}

function settingsFor<Value extends Stored, S extends State, Own>(
  resource: Resource<Value, S, Own>,
  state: S,
  stored: NoInfer<Value>,
  given: Message,
) {
  const { fields, required = [] } = resource;
  if (fields === undefined) return resource.settingsOf!(given, stored);
  const settings = updatedSettings(stored, resource.messageOf(stored, state), given, { fields, required });
  return isRefusal(settings) ? settings : resource.settingsOf!(settings, stored);
}

/** How a change came about; `kind`: of its event. */
interface Cause {
  readonly given: Message;
  readonly context: Context;
  readonly kind?: string | undefined;
}

/** The next version of a record, and nothing where nothing changes. */
function replaceRecord<Value extends Stored, S extends State, Own>(
  resource: Resource<Value, S, Own>,
  state: S,
  before: NoInfer<Value>,
  next: NoInfer<Value>,
  cause: Cause,
): Decision<RecordChanged<Value> | Own> {
  const after = nextRecord(before, next, cause.context.now);
  if (!after) return { events: [], answer: resource.messageOf(before, state) };
  return changed(resource, state, { before, after }, cause);
}

function changed<Value extends Stored, S extends State, Own>(
  resource: Resource<Value, S, Own>,
  state: S,
  change: Changed<NoInfer<Value>>,
  { given, context, kind }: Cause,
): Decision<RecordChanged<Value> | Own> {
  const { one, store, idField, awaitDelivery } = resource;
  const { before, after } = change;
  const conflict = after && store.conflict(after, context);
  if (conflict) {
    const other = `there is another ${snakeCase(one).replaceAll("_", " ")} with this ${conflict.taken}`;
    return refuse("ALREADY_EXISTS", resource.taken?.(after) ?? other);
  }
  const more = resource.check?.({ ...change, given }, state, context) ?? [];
  if (isRefusal(more)) return more;
  const event: RecordChanged<Value> = {
    type: "record_changed",
    ...change,
    ...(kind !== undefined && { kind }),
  };
  return {
    events: [event, ...more],
    answer: after
      ? resource.messageOf(after, state)
      : { [idField ?? "id"]: idField ? given[idField] : before!.id, deleted: true },
    ...(awaitDelivery && { awaitDelivery }),
  };
}

function list<Value extends Stored, S extends State, Own>(
  { store, many, messageOf }: Resource<Value, S, Own>,
  state: S,
  request: PageRequest & Message,
  context: Context,
): Decision<RecordChanged<Value> | Own> {
  const asked = { request, filter: request as Filter };
  const show = (record: Value) => messageOf(record, state);
  return listed(snakeCase(many), store.page!(state.records, asked, show, context));
}

function listPart<Value extends Stored, S extends State, Own>(
  { store, messageOf }: Resource<Value, S, Own>,
  state: S,
  { filter, after, most }: ListPart,
  context: Context,
): Decision<RecordChanged<Value> | Own> {
  const part = store.after!(state.records, filter, context, after, most);
  const shown = part.values.map((record) => messageOf(record, state));
  return { events: [], answer: partOf(shown, most, part.total) };
}
