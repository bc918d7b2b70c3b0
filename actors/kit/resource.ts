import type { Refusal } from "#base";
import type { Context, RowWriter, StoredRow } from "#runtime";
import type { Counts, Filter } from "./collection.ts";
import type { Page, PageRequest } from "./list.ts";
import { type Message, type Owned, type Stored, stampsOf, type Updatable } from "./record.ts";

/** `records`: what the store of the resource has in memory. */
export interface RecordState<Held = Counts> {
  readonly tenant: string;
  readonly records: Held;
}

/**
 * What a module says of a resource; create, get, list, update and delete follow from it. `Own`: events of the module's own that a
 * change of a record may add to its commit.
 */
export interface Resource<Value extends Stored, State extends RecordState<unknown> = RecordState, Own = never>
  extends Partial<Updatable> {
  /** As in the contract: `NoteService.CreateNote`, `note_id`, `notes`. */
  readonly service: string;
  readonly one: string;
  readonly many: string;
  readonly store: Store<Value, State["records"]>;
  /** What names a record in requests and in the answer of a delete; absent: `note_id`, and `id` in the answer. */
  readonly idField?: string;
  /** What callers call the version; absent: `record_version`. */
  readonly versionField?: string;
  /** How many one tenant has at most; absent: `limits.recordsMax`. */
  readonly most?: number;
  /**
   * All settings, with defaults for what is not given. No member is `undefined`. An update gives all of them, unless the
   * resource has `fields`: then it gives the message of the record with the named fields changed.
   */
  settingsOf?(given: Message, before: Value | null): SettingsOf<Value> | Refusal;
  /** The record in the words of the contract. */
  messageOf(record: Value, state: State): Message;
  /** Publishes `note.created`, `note.updated` and `note.deleted`, which the contract declares, with what this returns. */
  publishes?(record: Value): object;
  /** A change is answered when the messages that it sends have been applied. */
  readonly awaitDelivery?: boolean;
  /** Refusals in the module's own words. */
  missing?(id: string): string;
  taken?(record: Value): string;
  stale?(record: Value): Refusal;
  /** Refuses a change that the contract allows, or adds events to it. */
  check?(change: Change<Value>, state: State, context: Context): Refusal | readonly Own[] | undefined;
  /** Writes and sends what goes with a change, in its commit. `state` has the change already. */
  after?(change: Changed<Value>, state: State, rows: RowWriter): void;
  /** Methods beyond the five that change one record, by name (`ArchiveNote`); they answer with the record. */
  readonly actions?: Readonly<Record<string, Action<Value>>>;
  /** Methods that answer something about one record, by name (`CheckNote`). They write nothing. */
  readonly reads?: Readonly<Record<string, Read<Value, State>>>;
}

/** `before` is `null` where a record is new, `after` where it is deleted. */
export interface Changed<Value> {
  readonly before: Value | null;
  readonly after: Value | null;
}

/** `given`: the request. */
interface Change<Value> extends Changed<Value> {
  readonly given: Message;
}

/** Where the records of an entity are: `Collection` reads them when they are asked for, `Resident` has them in memory. */
export interface Store<Value, Held> {
  readonly filters: readonly string[];
  /** For `resident` of the entity. */
  readonly resident: string;
  /** False where the row is of another collection. */
  restore(held: Held, row: StoredRow): boolean;
  find(held: Held, id: string, context: Context): Value | null;
  conflict(value: Value, context: Context): { readonly taken: string } | undefined;
  put(held: Held, before: Value | null, after: Value, rows: RowWriter): void;
  remove(held: Held, value: Value, rows: RowWriter): void;
  clear(held: Held, rows: RowWriter): void;
  total(held: Held): number;
  /** Absent: no entity lists them, their directory does. */
  page?<Shown>(
    held: Held,
    asked: { readonly request: PageRequest; readonly filter: Filter },
    show: (value: Value) => Shown,
    context: Context,
  ): Page<Shown> | Refusal;
  after?(
    held: Held,
    filter: Filter,
    context: Context,
    id: string | undefined,
    limit: number,
  ): { readonly values: readonly Value[]; readonly total: number };
}

/** A method that changes one record. The id and the version of its request are checked before. */
interface Action<Value> {
  /** The record as the action leaves it. An equal one is no change. */
  readonly change: (record: Value, request: Message, now: number) => Value | Refusal;
  /** The kind of its event (`note.archived`); absent: that of an update, where the resource publishes. */
  readonly publishes?: string;
}

/** A method that reads one record. The id of its request is checked before. */
interface Read<Value, State> {
  answer(record: Value, request: Message, state: State, context: Context): object | Refusal;
}

/** A request of the contract, as a resource takes it. */
export type Given<Request> = { readonly [Field in keyof Request]: Request[Field] };

type SettingsOf<Value> = Omit<Value, keyof Owned>;

/** What messages of records in an environment have in common. */
export function ownedMessage(record: Owned): Message {
  const { id, tenant, environment } = record;
  return { id, tenant_id: tenant, environment, ...stampsOf(record) };
}

/** `ApiKey` is `api_key` in requests and in kinds of events. */
export function snakeCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}
