import { isRefusal, type Refusal, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import type { ActivationMessage } from "../../kit/activation.ts";
import type { RouterView } from "../router.ts";
import { type Cancel, cancel } from "./commands/cancel.ts";
import { claim } from "./commands/claim.ts";
import type { Claim } from "./commands/claimer.ts";
import { type ClearGroup, clearGroup } from "./commands/clear-group.ts";
import { type ControlCommand, decideControl } from "./commands/control.ts";
import { type Enqueue, enqueue } from "./commands/enqueue.ts";
import { type SettleCommand, settleBatch } from "./commands/settle-batch.ts";
import { tick } from "./commands/tick.ts";
import { type WorkCommand, workRound } from "./commands/work-round.ts";
import { type DeadLetterCommand, decideDeadLetters } from "./dead-letters/decide.ts";
import { decideJobs, type JobCommand } from "./jobs/decide.ts";
import { recallRecent } from "./memory/recent-line.ts";
import { type ListCommand, list } from "./reads/list.ts";
import { sendStats } from "./reads/stats.ts";
import { type ViewCommand, view } from "./reads/view.ts";
import { type WatchItem, watchItem } from "./reads/watch-item.ts";
import type { Event, State } from "./state.ts";

export type Command = (
  | Enqueue
  | Claim
  | WatchItem
  | SettleCommand
  | WorkCommand
  | Cancel
  | ControlCommand
  | DeadLetterCommand
  | JobCommand
  | ClearGroup
  | ViewCommand
  | ListCommand
  | { readonly type: "tick" }
  | { readonly type: "tell" }
  | ActivationMessage
) & {
  /** As the caller spelled it; its handle alone does not make it this pool. */
  readonly poolId?: string | undefined;
};

export function decide(state: State, command: Command, context: Context): Decision<Event> {
  const router = context.twin<RouterView>("router");
  if (command.poolId !== undefined && command.poolId !== router.poolId)
    return refuse("NOT_FOUND", `there is no pool ${command.poolId}`);
  if (!state.recent.known) recallRecent(state, context);
  switch (command.type) {
    case "enqueue":
      return enqueue(state, command, context);
    case "claim":
      return claim(state, command, context);
    case "watch":
      return watchItem(state, command, context);
    case "settle":
      return settleBatch(state, command, context);
    case "work":
      return workRound(state, command, context);
    case "cancel":
      return cancel(state, command, context);
    case "pause":
    case "resume":
    case "drain":
      return decideControl(state, command, context);
    case "retry":
    case "quarantine":
    case "unquarantine":
    case "purge":
      return decideDeadLetters(state, command, context);
    case "start_job":
    case "cancel_job":
      return decideJobs(state, command, context);
    case "clear_group":
      return clearGroup(state, command, context);
    case "get":
    case "owners":
    case "explain":
    case "status":
    case "sample":
    case "series":
    case "preview":
    case "get_group":
    case "dead_letter_stats":
    case "get_job": {
      return read(view(state, command, context));
    }
    case "list_items":
    case "list_dead_letters":
    case "list_groups":
    case "list_jobs": {
      return read(list(state, command, context));
    }
    case "tick":
      return tick(state, context);
    case "tell":
      return { events: state.poolId === "" ? [] : [{ type: "told", environment: router.environment }] };
    case "activation":
      return sendStats(state, command, context);
  }
}

function read(answer: object | Refusal): Decision<Event> {
  return isRefusal(answer) ? answer : { events: [], answer };
}
