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
  /** How many one entity has at most, and who that is in the refusal ("a tenant"). */
  readonly most: number;
  readonly owner: string;
  /** All settings, from what a create or an update gives and defaults for the rest. No member is `undefined`. */
  settingsOf(given: Message): SettingsOf<Value> | Refusal;
  /** The settings in the words of the contract. */
  messageOf(record: Value): Message;
  /** Publishes `note.created`, `note.updated` and `note.deleted`: the contract declares these kinds. */
  readonly publishes?: boolean;
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
