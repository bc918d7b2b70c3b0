import { isDeepStrictEqual } from "node:util";
import { handleOf, isRefusal, limits, type Refusal, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import { applyMask, tooMany } from "../shared/mask.ts";
import { checkMetadata } from "../shared/metadata.ts";
import type { RecipientRecord } from "../shared/pool-record.ts";
import type { RecipientTable, RouterTableEvent, RouterView } from "../shared/router.ts";
import { checkVersion } from "../shared/version.ts";
import type { Event, State } from "./state.ts";

type Message = Readonly<Record<string, unknown>>;
type Status = RecipientTable["status"];

export type RecipientCommand =
  | { readonly type: "create_recipient"; readonly poolId: string; readonly given: Message }
  | { readonly type: "get_recipient"; readonly id: string }
  | { readonly type: "update_recipient"; readonly id: string; readonly given: Message }
  | { readonly type: "set_recipient_status"; readonly id: string; readonly status: "active" | "paused" }
  | { readonly type: "delete_recipient"; readonly id: string; readonly version?: number };

const fields = ["name", "status", "weight", "capacity", "tier", "labels", "skills", "metadata"];

export function decideRecipient(state: State, command: RecipientCommand, context: Context): Decision<Event> {
  if (command.type === "create_recipient") return create(state, command.given, context);
  const stored = state.recipients.get(command.id);
  if (!stored) return refuse("NOT_FOUND", "there is no such recipient");
  switch (command.type) {
    case "get_recipient":
      return { events: [] };
    case "update_recipient":
      return update(state, stored, command.given, context.now);
    case "set_recipient_status": {
      const reinstated = command.status === "active" ? reinstating(stored.id, context) : [];
      return change(state, { ...stored, status: command.status }, context.now, reinstated);
    }
    case "delete_recipient":
      return checkVersion(stored.recordVersion, command.version) ?? remove(state, stored.id);
  }
}

function create(state: State, given: Message, context: Context): Decision<Event> {
  if (state.recipients.size >= limits.recipientsMax)
    return refuse("FAILED_PRECONDITION", `a pool has at most ${limits.recipientsMax} recipients`, {
      reason: "LIMIT_REACHED",
    });
  const id = context.newId(handleOf(state.pool!.id));
  const times = { createdAt: context.now, updatedAt: context.now, recordVersion: 0 };
  return put(state, { ...settingsOf(given), id, ...times }, "created", context.now);
}

function update(state: State, stored: RecipientRecord, given: Message, now: number): Decision<Event> {
  const conflict = checkVersion(stored.recordVersion, given.record_version as number | undefined);
  if (conflict) return conflict;
  const mask = given.update_mask as string[] | undefined;
  const changed = applyMask({ ...stored, status: wireStatus[stored.status] }, given, mask, fields);
  if (isRefusal(changed)) return changed;
  if (typeof changed.name !== "string")
    return refuse("INVALID_ARGUMENT", "name is required", {
      fields: [{ field: "name", reason: "is required" }],
    });
  return change(state, { ...stored, ...settingsOf(changed) }, now);
}

/** Health is no part of the record: it is given back also where the record stays as it is. */
function reinstating(recipientId: string, context: Context): RouterTableEvent[] {
  const { health } = context.twin<RouterView>("router").recipients.get(recipientId)!;
  const { state, failures, ejections } = health;
  if (state === "healthy" && failures === 0 && ejections === 0) return [];
  return [{ type: "reinstated", recipientId }];
}

function change(
  state: State,
  next: RecipientRecord,
  now: number,
  further: readonly RouterTableEvent[] = [],
): Decision<Event> {
  if (!isDeepStrictEqual(next, state.recipients.get(next.id)))
    return put(state, next, "updated", now, further);
  return further.length > 0 ? { events: [], twins: { router: further } } : { events: [] };
}

function put(
  state: State,
  record: RecipientRecord,
  change: "created" | "updated",
  now: number,
  further: readonly RouterTableEvent[] = [],
): Decision<Event> {
  const tooLarge = checkMetadata(record.metadata) ?? checkTraits(record);
  if (tooLarge) return tooLarge;
  const recipient = { ...record, updatedAt: now, recordVersion: record.recordVersion + 1 };
  const version = state.version + 1;
  const { id, status, weight, capacity, tier, labels, skills } = recipient;
  const handed: RouterTableEvent = {
    type: "recipient_put",
    version,
    recipient: { id, status, weight, capacity, tier, labels, skills },
  };
  return {
    events: [{ type: "recipient_put", change, recipient, version }],
    twins: { router: [handed, ...further] },
  };
}

/** The contract bounds what one request sets; what patches add up to is known only here. */
function checkTraits({ labels, skills }: RecipientRecord): Refusal | undefined {
  return (
    tooMany("labels", labels, limits.recipientTraitsMax) ??
    tooMany("skills", skills, limits.recipientTraitsMax)
  );
}

function remove(state: State, id: string): Decision<Event> {
  const version = state.version + 1;
  const handed: RouterTableEvent = { type: "recipient_removed", version, recipientId: id };
  return { events: [{ type: "recipient_removed", id, version }], twins: { router: [handed] }, frees: true };
}

/** A full set of settings from what was given, defaults for the rest. */
function settingsOf(
  given: Message,
): Omit<RecipientRecord, "id" | "createdAt" | "updatedAt" | "recordVersion"> {
  return {
    name: given.name as string,
    status: statusOf(given.status),
    weight: (given.weight as number | undefined) ?? 1,
    capacity: (given.capacity as number | undefined) ?? 0,
    tier: (given.tier as number | undefined) ?? 0,
    labels: (given.labels as Record<string, string> | undefined) ?? {},
    skills: (given.skills as Record<string, number> | undefined) ?? {},
    metadata: (given.metadata as Record<string, unknown> | undefined) ?? {},
  };
}

const wireStatus: Readonly<Record<Status, string>> = {
  active: "STATUS_ACTIVE",
  paused: "STATUS_PAUSED",
  draining: "STATUS_DRAINING",
};

function statusOf(wire: unknown): Status {
  if (wire === "STATUS_PAUSED") return "paused";
  return wire === "STATUS_DRAINING" ? "draining" : "active";
}
