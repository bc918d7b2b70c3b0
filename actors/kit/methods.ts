import { type AnyActorDefinition, defineActor, type EntityMethod } from "#runtime";
import type { Method as EntityQuestion } from "./ask.ts";
import { decideRecord, type RecordCommand } from "./decide.ts";
import type { Message, Owned } from "./record.ts";
import { type Resource, snakeCase } from "./resource.ts";
import { applyRecord, emptyRecords, type RecordEvent, type RecordState, restoreRecords } from "./state.ts";
import type { TenantPurge } from "./tenant.ts";

type Method<Value extends Owned> = EntityMethod<RecordState, RecordCommand, RecordEvent<Value>>;

/** An entity that has the records of a resource and nothing else. */
export function recordActor<Value extends Owned>(
  kind: string,
  resource: Resource<Value>,
): AnyActorDefinition {
  return defineActor<RecordState, RecordCommand, RecordEvent<Value>>({
    kind,
    placement: "key",
    empty: emptyRecords,
    resident: [resource.collection.countsName],
    restore: (state, row) => restoreRecords(resource, state, row),
    decide: (state, command, context) => decideRecord(resource, state, command, context),
    apply: (state, event, rows) => applyRecord(resource, state, event, rows),
    methods: recordMethods(resource),
    onMessage: (message) => message as TenantPurge,
  });
}

/** Create, get, list, update, delete and the actions as methods of the entity that has the records. */
function recordMethods<Value extends Owned>(
  resource: Resource<Value>,
): Readonly<Record<string, Method<Value>>> {
  const { service, one, many, actions = {} } = resource;
  const idField = `${snakeCase(one)}_id`;
  const idOf = (request: unknown) => (request as Message)[idField] as string;
  const further = Object.keys(actions).map((action) => [
    `${service}.${action}`,
    answered((request) => ({ type: "change_record" as const, id: idOf(request), action, given: request })),
  ]);
  return {
    [`${service}.Create${one}`]: answered((request) => ({ type: "create_record", given: request })),
    [`${service}.Get${one}`]: answered((request) => ({ type: "get_record", id: idOf(request) })),
    [`${service}.List${many}`]: answered((request) => ({ type: "list_records", request })),
    [partMethod(resource)]: answered((request) => ({
      ...(request as Omit<Extract<RecordCommand, { type: "list_part" }>, "type">),
      type: "list_part",
    })),
    [`${service}.Update${one}`]: answered((request) => ({
      type: "update_record",
      id: idOf(request),
      given: request,
    })),
    [`${service}.Delete${one}`]: answered((request) => ({
      type: "delete_record",
      id: idOf(request),
      ...versionOf(request),
    })),
    ...(Object.fromEntries(further) as Record<string, Method<Value>>),
  };
}

/** One entity's part of a list over several; not in the contract. */
export function partMethod({ service, many }: { readonly service: string; readonly many: string }): string {
  return `${service}.List${many}Part`;
}

/** A method that is answered with what the decision hands over. The request is as the contract says. */
export function answered<Command, Request = Message>(
  command: (request: Request) => Command,
): Answered<Command> {
  return {
    command: (request) => command(request as Request),
    respond: (_state, _events, _command, _context, answer) => answer,
  };
}

/** As `answered`, for a method that entities ask: its request has the type that they give. */
export function answering<Request, Command>(
  _method: EntityQuestion<Request, unknown>,
  command: (request: Request) => Command,
): Answered<Command> {
  return answered(command);
}

/** Of an entity of any state: it looks at none. */
interface Answered<Command> {
  readonly command: (request: unknown) => Command;
  readonly respond: EntityMethod<unknown, unknown, unknown>["respond"];
}

/** The version that a request says it saw. */
export function versionOf({ record_version }: { readonly record_version?: number }): { version?: number } {
  return record_version === undefined ? {} : { version: record_version };
}
