import { isRefusal, limits, type Refusal, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import type { RouterView } from "../shared/router.ts";
import { finish } from "./admission/finish.ts";
import { stepForward } from "./admission/line.ts";
import { type Claim, claim, take } from "./commands/claim.ts";
import { type ClearGroup, clearGroup } from "./commands/clear-group.ts";
import { type ControlCommand, decideControl } from "./commands/control.ts";
import { type Enqueue, enqueue } from "./commands/enqueue.ts";
import { fenced, type Settle, settle } from "./commands/settle.ts";
import { tick } from "./commands/tick.ts";
import { type DeadLetterCommand, decideDeadLetters } from "./dead-letters/decide.ts";
import { Draft } from "./draft/draft.ts";
import { reachPool } from "./draft/pool.ts";
import { recallRecent } from "./memory/recent-line.ts";
import { type ListCommand, list } from "./reads/list.ts";
import { type Missing, type ViewCommand, view } from "./reads/view.ts";
import { isOver, type Settlement, touchedItem } from "./rows/item.ts";
import type { Event, State } from "./state.ts";

export type Command = (
  | Enqueue
  | Claim
  | SettleCommand
  | WorkCommand
  | { readonly type: "cancel"; readonly id: string }
  | ControlCommand
  | DeadLetterCommand
  | ClearGroup
  | ViewCommand
  | ListCommand
  | { readonly type: "tick" }
) & {
  /** As the caller spelled it; its handle alone does not make it this pool. */
  readonly poolId?: string;
};

export interface SettleCommand {
  readonly type: "settle";
  readonly entries: readonly (Settle | Extend)[];
  /** One entry whose refusal is the answer, rather than a result among others. */
  readonly single: boolean;
}

export interface Extend {
  readonly id: string;
  readonly token: string;
  readonly outcome: "extend";
  /** 0: as the pool says. */
  readonly leaseSeconds: number;
}

/** One round of a Work stream: what is to be settled and extended, and room for how many more. */
export interface WorkCommand {
  readonly type: "work";
  readonly entries: readonly (Settle | Extend)[];
  readonly claim: Claim;
}

export type SettleResult = Settlement | Extension | Refusal;

interface Extension {
  readonly leaseExpiresAt: number;
  readonly attempts: number;
  readonly deliveries: number;
}

export function decide(state: State, command: Command, context: Context): Decision<Event> {
  const router = context.twin<RouterView>("router");
  if (command.poolId !== undefined && command.poolId !== router.poolId)
    return refuse("NOT_FOUND", `there is no pool ${command.poolId}`);
  if (!state.recent.known) {
    const need = recallRecent(state, context);
    if (need) return { need: [need] };
  }
  switch (command.type) {
    case "enqueue":
      return enqueue(state, command, context);
    case "claim":
      return claim(state, command, context);
    case "settle":
      return settleAll(state, command, context);
    case "work":
      return work(state, command, context);
    case "cancel":
      return cancel(state, command.id, context);
    case "pause":
    case "resume":
    case "drain":
      return decideControl(state, command, context);
    case "retry":
    case "quarantine":
    case "unquarantine":
    case "retry_all":
    case "purge":
      return decideDeadLetters(state, command, context);
    case "clear_group":
      return clearGroup(state, command, context);
    case "get":
    case "explain":
    case "status":
    case "preview":
    case "get_group":
    case "dead_letter_stats":
    case "get_retry_all": {
      const missing: Missing = [];
      return read(view(state, command, context, missing), missing);
    }
    case "list_items":
    case "list_dead_letters":
    case "list_groups": {
      const missing: Missing = [];
      return read(list(state, command, context, missing), missing);
    }
    case "tick":
      return tick(state, context);
  }
}

function settleAll(state: State, command: SettleCommand, context: Context): Decision<Event> {
  const draft = new Draft(state, context);
  const refused = reachPool(draft.router, context);
  if (refused) return refused;
  const results = planSettle(draft, command.entries);
  stepForward(draft);
  if (draft.missing.length > 0) return { need: draft.missing };
  const only = command.single ? results[0] : undefined;
  if (isRefusal(only)) return only;
  return draft.isEmpty ? { events: [] } : draft.decided(notable(draft, command.entries, results));
}

/** The items themselves tell what became of most entries; only the others are written down. */
function notable(
  draft: Draft,
  entries: readonly (Settle | Extend)[],
  results: readonly SettleResult[],
): (SettleResult | null)[] | null {
  let told: (SettleResult | null)[] | null = null;
  for (let i = 0; i < results.length; i++) {
    const { id, token } = entries[i]!;
    const ended = draft.changed(id)?.ended;
    if (ended?.token === token && ended.answer === results[i]) continue;
    told ??= new Array(results.length).fill(null);
    told[i] = results[i]!;
  }
  return told;
}

/** Each entry sees the ones before it. Also what an answer is made from where nothing changed. */
export function planSettle(draft: Draft, entries: readonly (Settle | Extend)[]): SettleResult[] {
  return entries.map((entry) => {
    const result = entry.outcome === "extend" ? extend(draft, entry) : settle(draft, entry);
    return result ?? pending;
  });
}

/** Stands for an entry that is looked at again once the rows are read. */
const pending: SettleResult = { leaseExpiresAt: 0, attempts: 0, deliveries: 0 };

function extend(draft: Draft, { id, token, leaseSeconds }: Extend): SettleResult | undefined {
  const item = fenced(draft, id, token, "extend");
  if (item === undefined || isRefusal(item) || !("lease" in item)) return item as Refusal | undefined;
  const seconds = leaseSeconds || draft.router.config.lease_seconds;
  const expiresAt = draft.now + seconds * 1_000;
  const extended = touchedItem(item, draft.now);
  extended.lease = { ...item.lease!, expiresAt };
  draft.change(item, extended, "extended");
  return { leaseExpiresAt: expiresAt, attempts: item.attempts, deliveries: item.deliveries };
}

function work(state: State, command: WorkCommand, context: Context): Decision<Event> {
  const draft = new Draft(state, context);
  const refused = reachPool(draft.router, context);
  if (refused) return refused;
  const results = planSettle(draft, command.entries);
  stepForward(draft);
  // A pool that hands nothing out still takes settlements.
  if (command.claim.maxItems > 0) take(draft, command.claim);
  if (draft.missing.length > 0) return { need: draft.missing };
  return draft.isEmpty ? { events: [] } : draft.decided(notable(draft, command.entries, results));
}

/** Ends an item in any state but an ended one; a lease on it is void at once. */
function cancel(state: State, id: string, context: Context): Decision<Event> {
  const draft = new Draft(state, context);
  const refused = reachPool(draft.router, context);
  if (refused) return refused;
  const item = draft.item(id);
  if (item === null) return refuse("NOT_FOUND", `there is no item ${id}`);
  if (item) {
    draft.body(item);
    if (item.state === "cancelled")
      return draft.missing.length > 0 ? { need: draft.missing } : { events: [] };
    if (isOver(item.state)) return refuse("STATE_CONFLICT", `the item is ${item.state}`);
    finish(draft, item, "cancelled", "cancelled");
    stepForward(draft);
  }
  if (draft.missing.length > 0) return { need: draft.missing };
  return draft.decided(null);
}

function read(answer: object | Refusal, missing: Missing): Decision<Event> {
  if (missing.length > 0) return { need: missing.slice(0, limits.queueReadsMax) };
  return isRefusal(answer) ? answer : { events: [] };
}
