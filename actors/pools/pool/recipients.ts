import { handleOf, isRefusal, limits, type Refusal, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import { tooMany } from "../../kit/mask.ts";
import {
  limitReached,
  type Message,
  newRecord,
  nextRecord,
  type Stored,
  updatedSettings,
} from "../../kit/record.ts";
import { checkVersion } from "../../kit/version.ts";
import { checkMetadata } from "../metadata.ts";
import type { RecipientRecord } from "../pool-record.ts";
import type { RecipientTable, RouterTableEvent, RouterView } from "../router.ts";
import { type Event, recipientIdsOf, type State } from "./state.ts";

type Status = RecipientTable["status"];

export type RecipientCommand =
  | { readonly type: "create_recipient"; readonly poolId: string; readonly given: Message }
  | { readonly type: "get_recipient"; readonly id: string }
  | { readonly type: "update_recipient"; readonly id: string; readonly given: Message }
  | { readonly type: "set_recipient_status"; readonly id: string; readonly status: "active" | "paused" }
  | { readonly type: "delete_recipient"; readonly id: string; readonly version?: number };

const updatable = {
  fields: ["name", "status", "weight", "capacity", "tier", "labels", "skills", "metadata"],
  required: ["name"],
};

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
  if (given.if_absent === true) {
    const existing = recipientIdsOf(state).find((id) => state.recipients.get(id)!.name === given.name);
    if (existing !== undefined) return { events: [], answer: existing };
  }
  if (state.recipients.size >= limits.recipientsMax)
    return limitReached("a pool", limits.recipientsMax, "recipients");
  const id = context.newId(handleOf(state.pool!.id));
  return put(state, newRecord(id, settingsOf(given), context.now), "created");
}

function update(state: State, stored: RecipientRecord, given: Message, now: number): Decision<Event> {
  const settings = { ...stored, status: wireStatus[stored.status] };
  const changed = updatedSettings(stored, settings, given, updatable);
  if (isRefusal(changed)) return changed;
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
  const changed = nextRecord(state.recipients.get(next.id)!, next, now);
  if (changed) return put(state, changed, "updated", further);
  return further.length > 0 ? { events: [], twins: { router: further } } : { events: [] };
}

function put(
  state: State,
  recipient: RecipientRecord,
  change: "created" | "updated",
  further: readonly RouterTableEvent[] = [],
): Decision<Event> {
  const tooLarge = checkMetadata(recipient.metadata) ?? checkTraits(recipient);
  if (tooLarge) return tooLarge;
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
function settingsOf(given: Message): Omit<RecipientRecord, keyof Stored> {
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
