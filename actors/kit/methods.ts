import { type AnyActorDefinition, defineActor, type EntityMethod } from "#runtime";
import type { Method as EntityQuestion } from "./ask.ts";
import { decideRecord, type ListPart, type RecordCommand } from "./decide.ts";
import type { Message, Owned } from "./record.ts";
import { type Resource, snakeCase } from "./resource.ts";
import { applyRecord, emptyRecords, type RecordEvent, type RecordState } from "./state.ts";
import type { TenantPurge } from "./tenant.ts";

/** An entity that has the records of a resource and nothing else. */
export function recordActor<Value extends Owned>(
  kind: string,
  resource: Resource<Value>,
): AnyActorDefinition {
  return defineActor<RecordState, RecordCommand, RecordEvent<Value>>({
    kind,
    placement: "key",
    empty: emptyRecords,
    resident: [resource.store.resident],
    restore: (state, row) => void resource.store.restore(state.records, row),
    decide: (state, command, context) => decideRecord(resource, state, command, context),
    apply: (state, event, rows) => applyRecord(resource, state, event, rows),
    methods: recordMethods(resource),
    onMessage: (message) => message as TenantPurge,
  });
}

/** Create, get, list, update, delete and the actions as methods of the entity that has the records. */
export function recordMethods({ service, one, many, idField, actions = {} }: Described) {
  const idName = idField ?? `${snakeCase(one)}_id`;
  const ofOne = (type: "get_record" | "update_record" | "delete_record") =>
    answered((given): RecordCommand => ({ type, id: given[idName] as string, given }));
  const further = Object.keys(actions).map((action) => {
    const command = (given: Message): RecordCommand => ({
      type: "change_record",
      id: given[idName] as string,
      action,
      given,
    });
    return [`${service}.${action}`, answered(command)] as const;
  });
  return {
    [`${service}.Create${one}`]: answered((given): RecordCommand => ({ type: "create_record", given })),
    [`${service}.Get${one}`]: ofOne("get_record"),
    [`${service}.List${many}`]: answered((request): RecordCommand => ({ type: "list_records", request })),
    [partMethod({ service, many })]: answered(
      (request): RecordCommand => ({ ...(request as Omit<ListPart, "type">), type: "list_part" }),
    ),
    [`${service}.Update${one}`]: ofOne("update_record"),
    [`${service}.Delete${one}`]: ofOne("delete_record"),
    ...Object.fromEntries(further),
  };
}

/** What names a resource's methods. */
interface Described {
  readonly service: string;
  readonly one: string;
  readonly many: string;
  readonly idField?: string;
  readonly actions?: object;
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
