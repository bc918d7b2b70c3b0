import { isRefusal, refuse, toRfc3339 } from "#base";
import type { Context, Decision } from "#runtime";
import { checkEnvironment } from "../../kit/environment.ts";
import { deciding } from "../../kit/table.ts";
import type { ShardMessage, Snapshot } from "../snapshot.ts";
import { ratio } from "../stats/integers.ts";
import { type Assigned, type Assigning, assignUnit, assignUnread } from "./assign.ts";
import type { Event, State } from "./state.ts";
import { storedCell } from "./sums.ts";
import type { Unit } from "./unit.ts";
import { type ExposureEntry, prefetch, type ScoreEntry, UnitWork, unitAt } from "./work.ts";

export type Command = ShardMessage | UnitCommand | { readonly type: "sums" } | { readonly type: "forget" };

/** What handlers ask of units; `snapshot`: brought to a shard that said it needs one. */
export type UnitCommand = { readonly snapshot?: Snapshot } & (
  | (Assigning & {
      readonly type: "assign";
      /** Of the unit. */
      readonly key: string;
      readonly expose: boolean;
      readonly covariates: Readonly<Record<string, number>>;
    })
  | { readonly type: "expose"; readonly entries: readonly ExposureEntry[] }
  | { readonly type: "score"; readonly entries: readonly ScoreEntry[] }
  | { readonly type: "get"; readonly key: string }
  | { readonly type: "remove"; readonly key: string }
);

/** The answer of a shard that has no snapshot, or too old a one. */
export const needsSnapshot = "needs a snapshot";

export const decide = deciding<State, Command, Event>({
  changed: (_state, { version, forgetAt }) => ({
    events: [{ type: "changed", version, ...(forgetAt !== undefined && { forgetAt }) }],
  }),
  deleted: () => ({ events: [{ type: "deleted" }], frees: true }),
  forget: () => ({ events: [{ type: "forgotten" }], frees: true }),
  sums: (state) => ({ events: [], answer: sumsOf(state) }),
  assign: withSnapshot,
  expose: withSnapshot,
  score: withSnapshot,
  get: withSnapshot,
  remove: withSnapshot,
});

/** With the newer of what the shard has and what it is brought, if that is new enough. */
function withSnapshot(state: State, command: UnitCommand, context: Context): Decision<Event> {
  const { snapshot: own, required } = state;
  const brought = command.snapshot;
  const isNewer = brought !== undefined && brought.version > (own?.version ?? 0);
  const snapshot = isNewer ? brought : own;
  if (!snapshot || snapshot.version < required)
    return { events: [], answer: needsSnapshot, unrecorded: true };
  const foreign = checkEnvironment(snapshot.environment, context.caller);
  if (foreign) return foreign;
  const decision = decideUnits(snapshot, state.recent, command, context);
  if (!isNewer || isRefusal(decision) || !("events" in decision)) return decision;
  return { ...decision, events: [{ type: "installed", snapshot }, ...decision.events] };
}

type Recent = State["recent"];

function decideUnits(
  snapshot: Snapshot,
  recent: Recent,
  command: UnitCommand,
  context: Context,
): Decision<Event> {
  switch (command.type) {
    case "assign":
      return assign(snapshot, recent, command, context);
    case "expose":
    case "score": {
      prefetch(command.entries, recent, context);
      const work = new UnitWork(snapshot, recent, context);
      const answer =
        command.type === "expose"
          ? command.entries.map((entry) => work.expose(entry))
          : command.entries.map((entry) => work.score(entry));
      return { events: work.events(), answer };
    }
    case "get":
    case "remove": {
      const unit = unitAt(command.key, recent, context);
      if (unit === null) return refuse("NOT_FOUND", "there is no such unit in this experiment");
      if (command.type === "get") return { events: [], answer: unitMessage(snapshot, unit) };
      return { events: [{ type: "removed", key: command.key, unit }], answer: {} };
    }
  }
}

/** Only a unit that is new and exposed is written. */
function assign(
  snapshot: Snapshot,
  recent: Recent,
  command: Extract<UnitCommand, { type: "assign" }>,
  context: Context,
): Decision<Event> {
  const unread = assignUnread(snapshot, command.unitId);
  if (unread) return { events: [], answer: answerOf(snapshot, command.key, unread) };
  const { key, expose, covariates } = command;
  const unit = unitAt(key, recent, context);
  const assigned = assignUnit(snapshot, command, unit, context);
  const answer = answerOf(snapshot, key, assigned);
  const work = new UnitWork(snapshot, recent, context);
  const written = assigned.reason === "assigned" && expose;
  const done = written
    ? work.assign({ key, proven: assigned.proven!, covariates })
    : work.covariates(covariates);
  return isRefusal(done) ? done : { events: work.events(), answer };
}

/** What the handler makes an `Assignment` of: a list, because most calls are this one. */
export type AssignAnswer = readonly [
  variant: string,
  payload: unknown,
  reason: Assigned["reason"],
  /** Of a unit that takes part, with its key. */
  proven: readonly [key: string, variant: number, phase: number, exposedAt: number] | null,
];

function answerOf({ variants }: Snapshot, unit: string, { variant, reason, proven }: Assigned): AssignAnswer {
  const { key, payload } = variants[variant]!;
  return [key, payload, reason, proven ? [unit, proven.variant, proven.phase, proven.exposedAt] : null];
}

function unitMessage({ variants, metrics, firstPhase }: Snapshot, unit: Unit): Record<string, unknown> {
  return {
    variant: variants[unit.variant]!.key,
    phase: unit.phase,
    exposed_at: toRfc3339(unit.exposedAt),
    multiple: unit.multiple ?? false,
    excluded: unit.phase < firstPhase,
    metrics: metrics.map(({ key, scale }, index) => {
      const one = 10n ** BigInt(scale);
      const scored = unit.y?.[index];
      const x = unit.x?.[index];
      return {
        metric: key,
        scores: scored?.count ?? 0,
        sum: ratio(BigInt(scored?.sum ?? 0), one),
        ...(x !== undefined && { covariate: ratio(BigInt(x), one) }),
      };
    }),
  };
}

function sumsOf({ cells, days }: State) {
  return { cells: [...cells.values()].map(storedCell), days: [...days.values()].map((day) => ({ ...day })) };
}

export type ShardSums = ReturnType<typeof sumsOf>;
