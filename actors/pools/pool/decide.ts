import { isDeepStrictEqual } from "node:util";
import { isRefusal, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import type { ActivationMessage } from "../../kit/activation.ts";
import type { EntityPurge } from "../../kit/directory.ts";
import { checkEnvironment } from "../../kit/environment.ts";
import { type Message, nextRecord, updatedSettings } from "../../kit/record.ts";
import { checkVersion } from "../../kit/version.ts";
import { controlNames } from "../control-numbers.ts";
import { fillPoolConfig, type PoolConfigInput } from "../pool-config.ts";
import { checkPoolConfig } from "../pool-config-check.ts";
import type { PoolCreation, PoolRecord } from "../pool-record.ts";
import type { QueuePoolEvent, QueueView, RouterTableEvent, Strategy, WatchPoolEvent } from "../router.ts";
import { decideActivation } from "./activation/steps.ts";
import { admits, configured, controlsOf } from "./configured.ts";
import { refuseDirect } from "./governance.ts";
import { type ListChildren, listChildren } from "./list.ts";
import { decideRecipient, type RecipientCommand } from "./recipients.ts";
import { actionOf } from "./rule-action.ts";
import { type ActionCheck, actionProblems } from "./rule-check.ts";
import { decideRule, type RuleCommand } from "./rules.ts";
import type { Event, State } from "./state.ts";
import { decideVersion, type VersionCommand } from "./versions.ts";

export type Command =
  | PoolCreation
  | EntityPurge
  | { readonly type: "get"; readonly poolId: string }
  | { readonly type: "check_action"; readonly poolId: string; readonly check: ActionCheck }
  | { readonly type: "update"; readonly poolId: string; readonly given: Message }
  | {
      readonly type: "set_enabled";
      readonly poolId: string;
      readonly enabled: boolean;
      readonly version?: number;
    }
  | { readonly type: "delete"; readonly poolId: string; readonly force: boolean; readonly version?: number }
  | ListChildren
  | {
      readonly type: "set_change_control";
      readonly poolId: string;
      readonly changeControl: "open" | "governed";
      readonly version?: number;
    }
  | ActivationMessage
  | VersionCommand
  | RecipientCommand
  | RuleCommand;

export function decide(state: State, command: Command, context: Context): Decision<Event> {
  if (command.type === "create") return create(state, command);
  if (command.type === "purge") return purge(state, command.id, context);
  if (command.type === "activation") return decideActivation(state, command, context);
  const pool = state.pool;
  if (!pool || ("poolId" in command && command.poolId !== pool.id))
    return refuse("NOT_FOUND", `there is no such ${subjectOf(command)}`);
  const foreign = checkEnvironment(pool.environment, context.caller);
  if (foreign) return foreign;
  const governed = changesRules(command) ? refuseDirect(state.governance) : undefined;
  if (governed) return governed;
  switch (command.type) {
    case "get":
      return { events: [] };
    case "check_action": {
      const { action, ...target } = command.check;
      const problems = actionProblems(state, actionOf(action), target);
      return { events: [], answer: { problems } };
    }
    case "list":
      return listChildren(state, command, context);
    case "update":
      return update(state, pool, command.given, context.now);
    case "set_enabled": {
      const conflict = checkVersion(pool.recordVersion, command.version);
      return conflict ?? change(state, { ...pool, enabled: command.enabled }, context.now);
    }
    case "set_change_control": {
      const { changeControl, version } = command;
      return (
        checkVersion(pool.recordVersion, version) ?? setChangeControl(state, pool, changeControl, context.now)
      );
    }
    case "create_version":
    case "get_version":
    case "describe_version":
    case "list_versions":
      return decideVersion(state, command, context);
    case "delete":
      // A promotion that has prepared its targets changes all of them, or none.
      if (state.governance.prepared !== undefined) return refuseDirect(state.governance)!;
      return remove(pool, command, context.twin<QueueView>("queue"));
    case "create_recipient":
    case "get_recipient":
    case "update_recipient":
    case "set_recipient_status":
    case "delete_recipient":
      return decideRecipient(state, command, context);
    case "create_rule":
    case "get_rule":
    case "update_rule":
    case "delete_rule":
      return decideRule(state, command, context);
  }
}

function changesRules({ type }: Command): boolean {
  return type === "create_rule" || type === "update_rule" || type === "delete_rule";
}

/** What a caller looks for in a pool that is not there. */
function subjectOf(command: Command): string {
  if (!("id" in command)) return "pool";
  return command.type.includes("recipient") ? "recipient" : "rule";
}

function create(state: State, { pool, tenantKey }: PoolCreation): Decision<Event> {
  // The outbox may bring the message again only to an entity that has lost nothing: it is the same pool.
  if (state.pool) return { events: [] };
  const opened: QueuePoolEvent = { type: "opened", poolId: pool.id, secret: tenantKey };
  return {
    events: [{ type: "created", pool }],
    twins: { router: [configured(pool, 1)], queue: [opened] },
  };
}

function update(state: State, pool: PoolRecord, given: Message, now: number): Decision<Event> {
  const { name, description, strategy, config } = pool;
  const settings = { name, description, strategy, config };
  const fields = Object.keys(settings);
  const changed = updatedSettings(pool, settings, given, { fields, required: ["name"] });
  if (isRefusal(changed)) return changed;
  const next: PoolRecord = {
    ...pool,
    name: changed.name as string,
    description: (changed.description as string | undefined) ?? "",
    strategy: (changed.strategy as Strategy | undefined) ?? "weighted_random",
    config: (changed.config as PoolConfigInput | undefined) ?? {},
  };
  const governed = changesContent(pool, next) ? refuseDirect(state.governance) : undefined;
  return governed ?? checkPoolConfig(fillPoolConfig(next.config)) ?? change(state, next, now);
}

function changesContent(before: PoolRecord, after: PoolRecord): boolean {
  return before.strategy !== after.strategy || !isDeepStrictEqual(before.config, after.config);
}

function setChangeControl(
  state: State,
  pool: PoolRecord,
  changeControl: "open" | "governed",
  now: number,
): Decision<Event> {
  if (state.governance.changeControl === changeControl) return { events: [] };
  const next = { ...pool, updatedAt: now, recordVersion: pool.recordVersion + 1 };
  return {
    events: [
      { type: "updated", pool: next, version: state.version },
      { type: "governed", governance: { ...state.governance, changeControl } },
    ],
  };
}

function change(state: State, next: PoolRecord, now: number): Decision<Event> {
  const changed = nextRecord(state.pool!, next, now);
  if (!changed) return { events: [] };
  const pool = { ...changed, controls: controlNames(controlsOf(state.pool!), next.config) };
  const version = state.version + 1;
  const queue: QueuePoolEvent[] = admits(state.pool!) === admits(next) ? [] : [{ type: "reconfigured" }];
  return {
    events: [{ type: "updated", pool, version }],
    twins: { router: [configured(pool, version)], queue },
  };
}

function remove(
  pool: PoolRecord,
  { force, version }: { force: boolean; version?: number },
  queue: QueueView,
): Decision<Event> {
  const conflict = checkVersion(pool.recordVersion, version);
  if (conflict) return conflict;
  if (queue.liveItems > 0 && !force)
    return refuse("FAILED_PRECONDITION", `the pool holds ${queue.liveItems} items; force deletes them too`, {
      reason: "POOL_NOT_EMPTY",
    });
  const removed: RouterTableEvent = { type: "removed" };
  const deleted: QueuePoolEvent = { type: "pool_deleted" };
  const unwatched: WatchPoolEvent = { type: "pool_deleted" };
  const twins = { router: [removed], queue: [deleted], watch: [unwatched] };
  return { events: [{ type: "deleted" }], twins, frees: true };
}

/** Whatever it holds. One that is gone already says so again: its directory asks until it hears it. */
function purge({ pool }: State, id: string, context: Context): Decision<Event> {
  if (pool?.id !== id) return { events: [{ type: "purged", id }] };
  return remove(pool, { force: true }, context.twin<QueueView>("queue"));
}
