import { invalid, type Refusal, refuse, toRfc3339 } from "#base";
import type { SetLegalHoldRequest } from "#protos";
import type { Context, Decision } from "#runtime";
import { checkEnvironment } from "../../kit/environment.ts";
import { messageOf } from "../../kit/message.ts";
import { deciding } from "../../kit/table.ts";
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
import { isReadable, type Read, read } from "./read.ts";
import type { Act, Asked, Event, State, StreamCreation, StreamPurge } from "./record.ts";
import { purge, purgeOn, trim } from "./retention.ts";

/** What callers ask of one stream. */
export type CallerCommand =
  | Append
  | Read
  | ConsumerCommand
  | ObjectCommand
  | Asked<"get" | "close">
  | (SetLegalHoldRequest & Asked<"hold">);

export type Command =
  | CallerCommand
  | StreamCreation
  | StreamPurge
  | { readonly type: "expire_object"; readonly id: string }
  /** `effect_step`: nothing follows from it. `purge_on`: the next step of a purge that is under way. */
  | { readonly type: "trim" | "effect_step" | "purge_on" };

/** For which of the definition's roles each command asks. */
const acts: Readonly<Record<CallerCommand["type"], Act | undefined>> = {
  append: "append",
  read: "read",
  put_consumer: "ack",
  delete_consumer: "ack",
  list_consumers: "read",
  acknowledge: "ack",
  get: "read",
  close: "append",
  hold: undefined,
  prepare_object: "append",
  upload_object: "append",
  note_upload: "append",
  commit_object: "append",
  abort_object: "append",
  find_object: "read",
};

/** Every decision for a caller has its `answer`. */
export function decide(state: State, command: Command, context: Context): Decision<Event> {
  switch (command.type) {
    case "create":
      return { events: state.definition ? [] : [{ type: "created", definition: command.definition }] };
    case "purge":
      return purge(state, command, context);
    case "expire_object":
      return expireObject(state, command.id, context);
    case "effect_step":
      return { events: [] };
    case "purge_on":
      return purgeOn(state, context);
    case "trim":
      return trim(state, context);
    default:
      return unreachable(state, command, context) ?? decideAsked(state, command, context);
  }
}

/** Why the caller may not do this to this stream: it is of another run or environment, or the caller has no role for it. */
function unreachable(
  { definition }: State,
  { type, run_id, roles }: CallerCommand,
  context: Context,
): Refusal | undefined {
  if (definition === undefined || definition.run_id !== run_id)
    return refuse("NOT_FOUND", "there is no such stream in this run");
  const hidden = checkEnvironment(definition.environment, context.caller);
  if (hidden) return hidden;
  const act = acts[type];
  const wanted = act === undefined ? [] : definition.authorization[`${act}_roles`];
  if (wanted.length === 0 || roles === undefined || roles.some((role) => wanted.includes(role)))
    return undefined;
  const detail = `the stream's definition asks for one of the roles ${wanted.join(", ")} to ${act}`;
  return refuse("PERMISSION_DENIED", detail, { reason: "STREAM_ROLE" });
}

const decideAsked = deciding<State, CallerCommand, Event>({
  append,
  read,
  put_consumer: (state, { consumer_id }, context) => putConsumer(state, consumer_id, context),
  delete_consumer: (state, { consumer_id }) => deleteConsumer(state, consumer_id),
  list_consumers: listConsumers,
  acknowledge,
  get: () => ({ events: [] }),
  close: (state, _command, context) => ({
    events: state.head.closedAt === undefined ? [{ type: "closed", at: context.now }] : [],
  }),
  hold,
  prepare_object: prepareObject,
  upload_object: uploadObject,
  note_upload: uploadObject,
  commit_object: commitObject,
  abort_object: abortObject,
  find_object: findObject,
});

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

function hold(
  { head }: State,
  { held, reason = "", reference = "" }: SetLegalHoldRequest,
  { now, caller }: Context,
): Decision<Event> {
  if (held && reason === "") return invalid({ field: "reason", reason: "is required" });
  if (!held) {
    if (head.hold === undefined) return { events: [] };
    // Retention goes on where it was stopped.
    return { events: [{ type: "hold_set" }, { type: "trim_due", atMs: now }] };
  }
  if (head.hold?.reason === reason && head.hold.reference === reference) return { events: [] };
  return {
    events: [{ type: "hold_set", hold: { reason, reference, setBy: caller?.subject ?? "", setAt: now } }],
  };
}

/** The definition and where the stream stands, as the contract has it. */
export function streamMessage(state: State) {
  const { head } = state;
  const { secret: _, tenant, createdAt, ...said } = state.definition!;
  const { unreadItems, unreadBytes } = creditOf(state);
  return {
    ...said,
    tenant_id: tenant,
    created_at: toRfc3339(createdAt),
    state: head.closedAt === undefined ? "open" : "closed",
    latest_sequence: head.latest,
    earliest_sequence: head.floor + 1,
    unread_items: unreadItems,
    unread_bytes: unreadBytes,
    total_bytes: head.bytes,
    ...(head.hold && { legal_hold: messageOf(head.hold) }),
    ...(head.closedAt !== undefined && { closed_at: toRfc3339(head.closedAt) }),
  };
}
