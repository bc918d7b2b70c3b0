import { keysOf } from "#base";
import type { Requests } from "#protos";
import { type AnyActorDefinition, defineActor, type EntityMethod } from "#runtime";
import type { MethodName } from "../module.ts";
import type { Method as EntityQuestion } from "./ask.ts";
import { decideRecord, type ListPart, type OneRecordCommand, type RecordCommand } from "./decide.ts";
import type { Message, Owned } from "./record.ts";
import { type RecordState, type Resource, snakeCase } from "./resource.ts";
import { applyRecord, emptyRecords, type RecordEvent } from "./state.ts";
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
    onMessage: (message: TenantPurge) => message,
  });
}

/** Create, get, list, update, delete, the actions and what reads as methods of the entity that has the records. */
export function recordMethods(resource: Described): Readonly<Record<string, Answered<RecordCommand>>> {
  const { service, one, many } = resource;
  return {
    ...oneRecordMethods(resource, "Get", "Update", "Delete"),
    [`${service}.Create${one}`]: answered((given) => ({ type: "create_record", given })),
    [`${service}.List${many}`]: answered((request) => ({ type: "list_records", request })),
    [partMethod(resource)]: takes<ListPart>("list_part"),
  };
}

/** Those of one record, the actions, and what reads. */
export function oneRecordMethods(
  { service, one, idField, actions = {}, reads = {} }: Described,
  ...verbs: readonly ("Get" | "Update" | "Delete")[]
): Readonly<Record<string, Answered<OneRecordCommand>>> {
  const idOf = (given: Message) => given[idField ?? `${snakeCase(one)}_id`] as string;
  const methods: Record<string, Answered<OneRecordCommand>> = {};
  for (const verb of verbs) {
    const type = `${verb.toLowerCase() as Lowercase<typeof verb>}_record` as const;
    methods[`${service}.${verb}${one}`] = answered((given) => ({ type, id: idOf(given), given }));
  }
  const named = { change_record: Object.keys(actions), read_record: Object.keys(reads) };
  for (const type of keysOf(named))
    for (const name of named[type])
      methods[`${service}.${name}`] = answered((given) => ({ type, id: idOf(given), name, given }));
  return methods;
}

/** What names a resource's methods. */
interface Described {
  readonly service: string;
  readonly one: string;
  readonly many: string;
  readonly idField?: string;
  readonly actions?: object;
  readonly reads?: object;
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
    command,
    respond: (_state, _events, _command, _context, answer) => answer,
  };
}

/** Methods of the contract that are answered so: from their requests, with the types of the contract, to commands. */
export function answeredMethods<Command>(
  commands: {
    readonly [Name in MethodName]?: (request: Requests[Name]) => Command;
  },
): Readonly<Record<string, Answered<Command>>> {
  return Object.fromEntries(
    Object.entries(commands).map(([name, command]) => [name, answered<Command, never>(command)]),
  );
}

/** A method whose requests are commands of this type. */
export function takes<Command extends { readonly type: string }>(type: Command["type"]): Answered<Command> {
  return answered((request: Omit<Command, "type">) => ({ ...request, type }) as Command);
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
  readonly command: (request: never) => Command;
  readonly respond: EntityMethod<unknown, unknown, unknown>["respond"];
}

/** The version that a request says it saw. */
export function versionOf({ record_version }: { readonly record_version?: number }): { version?: number } {
  return record_version === undefined ? {} : { version: record_version };
}
