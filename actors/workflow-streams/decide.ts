import { refuse, toRfc3339 } from "#base";
import type { Context, Decision } from "#runtime";
import { type Append, append } from "./append.ts";
import {
  acknowledge,
  type ConsumerCommand,
  deleteConsumer,
  listConsumers,
  putConsumer,
} from "./consumers.ts";
import { creditOf, hasCredit } from "./credit.ts";
import {
  abortObject,
  commitObject,
  expireObject,
  findObject,
  type ObjectCommand,
  prepareObject,
  uploadObject,
} from "./objects.ts";
import { purge, purgeOn } from "./purge.ts";
import { type Asked, reach } from "./reach.ts";
import { isReadable, type Read, read } from "./read.ts";
import { trim } from "./retention.ts";
import type { Event, State, StreamCreation, StreamPurge } from "./stream.ts";

export type Command =
  | StreamCreation
  | StreamPurge
  | Append
  | Read
  | ConsumerCommand
  | ({ readonly type: "get" } & Asked)
  | ({ readonly type: "close" } & Asked)
  | ({
      readonly type: "hold";
      readonly held: boolean;
      readonly reason: string;
      readonly reference: string;
    } & Asked)
  | ObjectCommand
  /** A step of an effect: nothing follows from it. */
  | { readonly type: "effect_step" }
  | { readonly type: "trim" }
  /** The next step of a purge that is under way. */
  | { readonly type: "purge_on" };

/** Every decision for a caller has its `answer`. */
export function decide(state: State, command: Command, context: Context): Decision<Event> {
  switch (command.type) {
    case "create":
      return { events: state.definition ? [] : [{ type: "created", definition: command.definition }] };
    case "purge":
      return purge(state, command, context);
    case "append":
      return append(state, command, context);
    case "read":
      return read(state, command, context);
    case "put_consumer":
      return putConsumer(state, command, context);
    case "delete_consumer":
      return deleteConsumer(state, command, context);
    case "list_consumers":
      return listConsumers(state, command, context);
    case "acknowledge":
      return acknowledge(state, command, context);
    case "get":
      return reach(state, command, "read", context) ?? { events: [] };
    case "close":
      return reach(state, command, "append", context) ?? closed(state, context);
    case "hold":
      return reach(state, command, undefined, context) ?? hold(state, command, context);
    case "prepare_object":
      return prepareObject(state, command, context);
    case "upload_object":
    case "note_upload":
      return uploadObject(state, command, context);
    case "commit_object":
      return commitObject(state, command, context);
    case "abort_object":
      return abortObject(state, command, context);
    case "find_object":
      return findObject(state, command, context);
    case "expire_object":
      return expireObject(state, command, context);
    case "effect_step":
      return { events: [] };
    case "purge_on":
      return purgeOn(state, context);
    case "trim":
      return trim(state, context);
  }
}

/** Reads that have something to tell, and appends that now have credit, the one that came first before the others. */
export function wake(state: State, parked: readonly Command[]): readonly number[] {
  const woken: number[] = [];
  let isBlocked = false;
  for (const [index, command] of parked.entries()) {
    if (command.type === "read" && isReadable(state, command)) woken.push(index);
    else if (command.type === "append" && !isBlocked) {
      const { items, bytes } = command.blocked!;
      if (state.head.closedAt !== undefined || hasCredit(state, items, bytes)) woken.push(index);
      else isBlocked = true;
    }
  }
  return woken;
}

function closed({ head }: State, { now }: Context): Decision<Event> {
  return { events: head.closedAt === undefined ? [{ type: "closed", at: now }] : [] };
}

function hold(state: State, command: Extract<Command, { type: "hold" }>, context: Context): Decision<Event> {
  const { held, reason, reference } = command;
  if (held && reason === "")
    return refuse("INVALID_ARGUMENT", "reason is required", {
      fields: [{ field: "reason", reason: "is required" }],
    });
  const { head } = state;
  if (!held) {
    if (head.hold === undefined) return { events: [] };
    // Retention goes on where it was stopped.
    return { events: [{ type: "hold_set" }, { type: "trim_due", atMs: context.now }] };
  }
  if (head.hold?.reason === reason && head.hold.reference === reference) return { events: [] };
  const setBy = context.caller?.subject ?? "";
  return { events: [{ type: "hold_set", hold: { reason, reference, setBy, setAt: context.now } }] };
}

/** The definition and where the stream stands, as the contract has it. */
export function streamMessage(state: State) {
  const { head } = state;
  const definition = state.definition!;
  const { regions, retention, ceilings, roles } = definition;
  const { unreadItems, unreadBytes } = creditOf(state);
  return {
    id: definition.id,
    run_id: definition.runId,
    tenant_id: definition.tenant,
    environment: definition.environment,
    name: definition.name,
    content_classes: [...definition.contentClasses],
    metadata_home: regions.metadataHome,
    metadata_replicas: [...regions.metadataReplicas],
    object_regions: [...regions.objectRegions],
    client_egress_regions: [...regions.clientEgressRegions],
    log_region: regions.logRegion,
    retention: {
      max_age_seconds: retention.maxAgeMs / 1_000,
      max_records: retention.maxRecords,
      max_bytes: retention.maxBytes,
    },
    redaction: { json_pointers: [...definition.redaction] },
    authorization: {
      read_roles: [...roles.read],
      append_roles: [...roles.append],
      ack_roles: [...roles.ack],
    },
    ceilings: {
      unread_items: ceilings.unreadItems,
      unread_bytes: ceilings.unreadBytes,
      ...(ceilings.totalItems !== undefined && { total_items: ceilings.totalItems }),
      ...(ceilings.totalBytes !== undefined && { total_bytes: ceilings.totalBytes }),
    },
    overflow: definition.blockMs > 0 ? "block" : "reject",
    block_ms: definition.blockMs,
    created_at: toRfc3339(definition.createdAt),
    state: head.closedAt === undefined ? "open" : "closed",
    latest_sequence: head.latest,
    earliest_sequence: head.floor + 1,
    unread_items: unreadItems,
    unread_bytes: unreadBytes,
    total_bytes: head.bytes,
    ...(head.hold && {
      legal_hold: {
        reason: head.hold.reason,
        reference: head.hold.reference,
        set_by: head.hold.setBy,
        set_at: toRfc3339(head.hold.setAt),
      },
    }),
    ...(head.closedAt !== undefined && { closed_at: toRfc3339(head.closedAt) }),
  };
}
