import type { Refusal } from "#base";
import type { Collection } from "./collection.ts";
import { type Message, type Owned, stampsOf, type Updatable } from "./record.ts";

/** What a module says of a resource; create, get, list, update and delete follow from it. */
export interface Resource<Value extends Owned> extends Updatable {
  /** As in the contract: `NoteService.CreateNote`, `note_id`, `notes`. */
  readonly service: string;
  readonly one: string;
  readonly many: string;
  readonly collection: Collection<Value>;
  /** How many one entity has at most; absent: `limits.recordsMax`. */
  readonly most?: number;
  /** Who has at most so many, in the refusal ("a tenant"). */
  readonly owner: string;
  /** All settings, from what a create or an update gives and defaults for the rest. No member is `undefined`. */
  settingsOf(given: Message): SettingsOf<Value> | Refusal;
  /** The settings in the words of the contract. */
  messageOf(record: Value): Message;
  /** Publishes `note.created`, `note.updated` and `note.deleted`: the contract declares these kinds. */
  readonly publishes?: boolean;
  /** Methods beyond the five that change one record, by name (`ArchiveNote`); they answer with the record. */
  readonly actions?: Readonly<Record<string, Action<Value>>>;
}

/** A method that changes one record. `note_id` and `record_version` of its request are checked before. */
interface Action<Value extends Owned> {
  /** The record as the action leaves it. An equal one is no change. */
  readonly change: (record: Value, request: Message, now: number) => Value | Refusal;
  /** The kind of its event (`note.archived`); absent: that of an update, where the resource publishes. */
  readonly publishes?: string;
}

type SettingsOf<Value extends Owned> = Omit<Value, keyof Owned>;

export function resourceMessage<Value extends Owned>(resource: Resource<Value>, record: Value): Message {
  return {
    id: record.id,
    ...resource.messageOf(record),
    tenant_id: record.tenant,
    environment: record.environment,
    ...stampsOf(record),
  };
}

/** `ApiKey` is `api_key` in requests and in kinds of events. */
export function snakeCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}
