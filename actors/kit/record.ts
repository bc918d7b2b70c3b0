import { isDeepStrictEqual } from "node:util";
import { isRefusal, type Refusal, refuse, toRfc3339 } from "#base";
import { applyMask } from "./mask.ts";
import { checkVersion } from "./version.ts";

/** What every stored resource has. */
export interface Stored {
  readonly id: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly recordVersion: number;
}

/** A resource that no other one owns says itself where it belongs. */
export interface Owned extends Stored {
  readonly tenant: string;
  readonly environment: string;
}

export type Message = Readonly<Record<string, unknown>>;

export function newRecord<Settings extends object>(
  id: string,
  settings: Settings,
  now: number,
): Settings & Stored {
  return { ...settings, id, createdAt: now, updatedAt: now, recordVersion: 1 };
}

/** The next version of a record; `undefined` where nothing changed: then versions and subscribers are left alone. */
export function nextRecord<Value extends Stored>(stored: Value, next: Value, now: number): Value | undefined {
  if (isDeepStrictEqual(next, stored)) return undefined;
  return { ...next, updatedAt: now, recordVersion: stored.recordVersion + 1 };
}

/** Which fields an update takes, and which of them a resource cannot be without. */
export interface Updatable {
  readonly fields: readonly string[];
  readonly required: readonly string[];
}

/**
 * The settings of a record, in the words of the contract, as an update leaves them: `given` has the new values, `update_mask`
 * and the `record_version` that its sender saw.
 */
export function updatedSettings<Settings extends object>(
  { recordVersion }: Stored,
  settings: Settings,
  given: Message,
  { fields, required }: Updatable,
): Partial<Settings> | Refusal {
  const conflict = checkVersion(recordVersion, given.record_version as number | undefined);
  if (conflict) return conflict;
  const changed = applyMask(settings, given, given.update_mask as string[] | undefined, fields);
  if (isRefusal(changed)) return changed;
  return requireFields(changed, required) ?? changed;
}

export function requireFields(settings: object, required: readonly string[]): Refusal | undefined {
  const given = new Map(Object.entries(settings));
  const missing = required.filter((field) => given.get(field) === undefined);
  if (missing.length === 0) return undefined;
  return refuse("INVALID_ARGUMENT", `${missing[0]} is required`, {
    fields: missing.map((field) => ({ field, reason: "is required" })),
  });
}

/** The part of a resource that is the same for all. */
export function stampsOf({ createdAt, updatedAt, recordVersion }: Omit<Stored, "id">): Message {
  return {
    created_at: toRfc3339(createdAt),
    updated_at: toRfc3339(updatedAt),
    record_version: recordVersion,
  };
}

export function limitReached(owner: string, most: number, many: string): Refusal {
  return refuse("FAILED_PRECONDITION", `${owner} has at most ${most} ${many}`, { reason: "LIMIT_REACHED" });
}
