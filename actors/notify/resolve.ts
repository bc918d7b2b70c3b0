import type { ChannelPreference } from "#protos";
import { type CommandBudget, fullBudget } from "../cel/command-budget.ts";
import type { CelBindings } from "../cel/environment.ts";
import type { Channel, JsonObject } from "./outbound/types.ts";
import { conditionCel, type PreferenceSettings } from "./preference.ts";
import { isSilent } from "./schedule.ts";

export const resolverVersion = "preference-v2";

/** Weakest first; the layer is the index plus 1. */
const layerNames = [
  "workflow_default",
  "user_workflow",
  "subscriber_global",
  "subscriber_workflow",
  "subscription",
] as const;

/** `undefined`: the key that names the row was not given. `null`: there is no such row. */
export type Layer = PreferenceSettings | null | undefined;

export interface Resolving {
  /** Five, weakest first. */
  readonly layers: readonly Layer[];
  readonly channels: readonly Channel[];
  /** Of the subscriber, or of the tenant: for schedules without their own. */
  readonly timezone: string;
  /** What conditions see, besides `channel` and `now`. */
  readonly variables: ConditionVariables;
  readonly now: number;
  /** Steps that conditions may take; unset: those of one command. */
  readonly commandBudget?: CommandBudget;
}

export interface ConditionVariables {
  readonly payload: JsonObject;
  readonly subscriber: JsonObject;
  readonly workflow_key: string;
  readonly topic_key: string;
  readonly context_keys: readonly string[];
  readonly user_id: string;
  readonly environment: string;
}

type ReasonCode =
  | "default"
  | "enabled"
  | "disabled"
  | "enabled_locked"
  | "disabled_locked"
  | "quiet_hours"
  | "quiet_hours_bypassed";

export interface ChannelDecision {
  readonly channel: Channel;
  readonly allowed: boolean;
  readonly reason_code: ReasonCode;
  /** 0: no layer has an opinion. */
  readonly winning_layer: number;
  readonly trace: readonly LayerTrace[];
}

interface LayerTrace {
  readonly layer: number;
  readonly name: string;
  readonly state: LayerState;
  readonly enabled?: boolean;
  readonly source?: "channel" | "all";
  readonly read_only: boolean;
  readonly schedule: "none" | "open" | "silent";
}

type LayerState =
  | "not_applicable"
  | "absent"
  | "condition_false"
  | "condition_error"
  | "no_opinion"
  | "locked_out"
  | "applied";

/** The one place that decides whether a channel may be used: for previews, triggers and broadcasts. */
export function resolve(asked: Resolving): readonly ChannelDecision[] {
  const conditions = new Conditions(asked);
  return asked.channels.map((channel) => resolveChannel(asked, channel, conditions));
}

function resolveChannel(asked: Resolving, channel: Channel, conditions: Conditions): ChannelDecision {
  let allowed = true;
  let winner = 0;
  let winnerReadOnly = false;
  let locked = false;
  let lockedOut = false;
  let silent = false;
  const trace = asked.layers.map((row, index): LayerTrace => {
    const layer = index + 1;
    const name = layerNames[index]!;
    const out = (state: LayerState): LayerTrace => ({
      layer,
      name,
      state,
      read_only: false,
      schedule: "none",
    });
    if (row === undefined) return out("not_applicable");
    if (row === null) return out("absent");
    const holds = conditions.holds(row.condition, channel);
    if (holds !== true) return out(holds === false ? "condition_false" : "condition_error");
    // The strongest row that is in and has a schedule decides, whether its opinion is locked out or not.
    if (row.schedule) silent = isSilent(row.schedule, row.schedule.timezone ?? asked.timezone, asked.now);
    const schedule = row.schedule ? (silent ? "silent" : "open") : "none";
    const opinion = opinionOf(row, channel, conditions);
    if (!opinion) return { ...out("no_opinion"), schedule };
    const { enabled, source } = opinion;
    const effect = { ...out("applied"), enabled, source, read_only: opinion.readOnly, schedule } as const;
    if (locked) {
      lockedOut = true;
      return { ...effect, state: "locked_out" };
    }
    allowed = enabled;
    winner = layer;
    winnerReadOnly = opinion.readOnly;
    locked = opinion.readOnly;
    return effect;
  });
  const base = baseReason(winner, allowed, lockedOut);
  const quiet = allowed && silent;
  return {
    channel,
    allowed: quiet ? winnerReadOnly : allowed,
    reason_code: quiet ? (winnerReadOnly ? "quiet_hours_bypassed" : "quiet_hours") : base,
    winning_layer: winner,
    trace,
  };
}

function baseReason(winner: number, allowed: boolean, lockedOut: boolean): ReasonCode {
  if (winner === 0) return "default";
  if (lockedOut) return allowed ? "enabled_locked" : "disabled_locked";
  return allowed ? "enabled" : "disabled";
}

interface Opinion {
  readonly enabled: boolean;
  readonly source: "channel" | "all";
  readonly readOnly: boolean;
}

/** Of the channel's entry where its condition holds, else of `all`. */
function opinionOf(row: PreferenceSettings, channel: Channel, conditions: Conditions): Opinion | undefined {
  const of = (entry: ChannelPreference | undefined, source: Opinion["source"]): Opinion | undefined => {
    if (entry?.enabled === undefined || conditions.holds(entry.condition, channel) !== true) return undefined;
    return { enabled: entry.enabled, source, readOnly: entry.read_only === true || row.read_only === true };
  };
  const own = row.channels && Object.hasOwn(row.channels, channel) ? row.channels[channel] : undefined;
  return of(own, "channel") ?? of(row.all, "all");
}

/** Conditions over the values of one trigger and subscriber, which are converted when the first one is asked. */
export class Conditions {
  readonly #asked: Pick<Resolving, "variables" | "now" | "commandBudget">;
  #bound: CelBindings | undefined;

  constructor(asked: Pick<Resolving, "variables" | "now" | "commandBudget">) {
    this.#asked = asked;
  }

  /** None holds. `undefined`: it failed, or its value is no boolean. */
  holds(condition: string | undefined, channel: Channel): boolean | undefined {
    if (condition === undefined || condition === "") return true;
    const compiled = conditionCel.compile(condition);
    if ("problems" in compiled) return undefined;
    const { variables, now, commandBudget = fullBudget() } = this.#asked;
    this.#bound ??= conditionCel.bind({ ...variables, channel: "", now }, commandBudget);
    const bindings = { ...this.#bound, values: { ...this.#bound.values, channel } };
    const value = compiled.program.run(bindings);
    return typeof value === "boolean" ? value : undefined;
  }
}

/** The row of layer 5 for these context keys: the one with the same set, else the one without. */
export function rowOfContext<Row extends { readonly contextKeys: readonly string[] }>(
  rows: readonly Row[],
  contextKeys: readonly string[],
): Row | undefined {
  const asked = contextSet(contextKeys).join("\u0000");
  return (
    rows.find((row) => row.contextKeys.join("\u0000") === asked) ??
    rows.find((row) => row.contextKeys.length === 0)
  );
}

/** A set as it is stored: each once, in order. */
export function contextSet(keys: readonly string[] = []): readonly string[] {
  return [...new Set(keys)].sort();
}
