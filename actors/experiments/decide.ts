import { invalid, isRefusal, type Refusal, refuse } from "#base";
import type {
  CompleteExperimentRequest,
  DeleteExperimentRequest,
  GetExperimentRequest,
  PauseExperimentRequest,
  StartExperimentRequest,
  StopExperimentRequest,
  UpdateExperimentRequest,
} from "#protos";
import type { Context, Decision, EffectStep } from "#runtime";
import type { EntityPurge } from "../kit/directory.ts";
import { checkEnvironment } from "../kit/environment.ts";
import { nextRecord } from "../kit/record.ts";
import { checkVersion } from "../kit/version.ts";
import type { LookResult } from "./effects.ts";
import {
  type Breach,
  type ExperimentCreation,
  type ExperimentRecord,
  experimentMessage,
  isOver,
  phaseOf,
} from "./record.ts";
import { snapshotOf } from "./snapshot.ts";
import type { Event, State } from "./state.ts";
import { update } from "./update.ts";

export type Command =
  | ExperimentCreation
  | EntityPurge
  | { readonly type: "effect"; readonly step: EffectStep<LookResult> }
  | { readonly type: "get" | "snapshot" | "look"; readonly request: GetExperimentRequest }
  | { readonly type: "update"; readonly request: UpdateExperimentRequest }
  | { readonly type: "delete"; readonly request: DeleteExperimentRequest }
  | Move;

type Move =
  | { readonly type: "start"; readonly request: StartRequest }
  | { readonly type: "pause"; readonly request: PauseExperimentRequest }
  | { readonly type: "complete"; readonly request: CompleteExperimentRequest }
  | { readonly type: "stop"; readonly request: StopExperimentRequest };

export interface StartRequest extends StartExperimentRequest {
  /** The range that the group has given, where it has one. */
  readonly group_start?: number;
}

/** Every decision for a caller has its `answer`. */
export function decide(state: State, command: Command, context: Context): Decision<Event> {
  const { record } = state;
  if (command.type === "create")
    return { events: record ? [] : [{ type: "created", record: command.record }] };
  if (command.type === "purge")
    return { events: [{ type: "deleted", id: command.id, tenant: command.tenant }], frees: true };
  if (command.type === "effect") return lookedAt(state, command.step, context.now);
  if (!record || record.id !== command.request.experiment_id)
    return refuse("NOT_FOUND", "there is no such experiment");
  const foreign = checkEnvironment(record.environment, context.caller);
  if (foreign) return foreign;
  switch (command.type) {
    case "get":
      return { events: [], answer: experimentMessage(record, state.look) };
    case "look":
      return { events: [], answer: record };
    case "snapshot":
      return record.status === "draft" ? notStarted() : { events: [], answer: snapshotOf(record) };
    case "update": {
      const next = update(record, command.request, context.now);
      return isRefusal(next) ? next : change(state, next, context.now);
    }
    case "start":
    case "pause":
    case "complete":
    case "stop":
      return move(state, record, command, context.now);
    case "delete":
      return remove(record, command.request.record_version);
  }
}

/** From where each of them leads on. */
const sources: Readonly<Record<Move["type"], readonly ExperimentRecord["status"][]>> = {
  start: ["draft", "paused"],
  pause: ["running"],
  complete: ["running", "paused"],
  stop: ["draft", "running", "paused"],
};

function move(state: State, record: ExperimentRecord, command: Move, now: number): Decision<Event> {
  const conflict = checkVersion(record.recordVersion, command.request.record_version);
  if (conflict) return conflict;
  const from = sources[command.type];
  if (!from.includes(record.status))
    return refuse(
      "STATE_CONFLICT",
      `a ${record.status} experiment cannot ${command.type}: it has to be ${from.join(" or ")}`,
    );
  const next = moved(record, command, now);
  return isRefusal(next) ? next : change(state, next, now);
}

function moved(record: ExperimentRecord, { type, request }: Move, now: number): ExperimentRecord | Refusal {
  switch (type) {
    case "start": {
      if (record.status === "paused") return { ...record, status: "running" };
      if (record.group && request.group_start === undefined)
        return refuse("FAILED_PRECONDITION", "the group has given it no range", { reason: "GROUP_CHANGED" });
      const opened = {
        ...record,
        status: "running" as const,
        startedAt: now,
        phases: [phaseOf(record, { number: 1, openedAt: now, carry: "" })],
      };
      return record.group ? { ...opened, groupStart: request.group_start! } : opened;
    }
    case "pause":
      return { ...record, status: "paused" };
    case "complete": {
      const { winner: key } = request;
      if (key === undefined) return { ...record, status: "completed", endedAt: now };
      const winner = record.variants.findIndex((variant) => variant.key === key);
      if (winner < 0) return invalid({ field: "winner", reason: `there is no variant ${key}` });
      return { ...record, status: "completed", endedAt: now, winner };
    }
    case "stop":
      return { ...record, status: "stopped", endedAt: now, stopReason: request.reason };
  }
}

/** Once it is answered, every unit shard knows that there is a newer snapshot. */
function change(state: State, changed: ExperimentRecord, now: number, reason?: string): Decision<Event> {
  const record = nextRecord(state.record!, changed, now);
  if (!record) return { events: [], answer: experimentMessage(changed, state.look) };
  return {
    events: [{ type: "changed", record, ...(reason !== undefined && { reason }) }],
    awaitDelivery: true,
    answer: experimentMessage(record, state.look),
  };
}

function remove(record: ExperimentRecord, version: number | undefined): Decision<Event> {
  const conflict = checkVersion(record.recordVersion, version);
  if (conflict) return conflict;
  if (record.status !== "draft" && !isOver(record))
    return refuse(
      "STATE_CONFLICT",
      `a ${record.status} experiment cannot be deleted: complete or stop it first`,
    );
  return {
    events: [{ type: "deleted", id: record.id, tenant: record.tenant }],
    awaitDelivery: true,
    frees: true,
    answer: { id: record.id, deleted: true },
  };
}

/** What a look by timer found. It asks for the next one while the experiment runs. */
function lookedAt(state: State, step: EffectStep<LookResult>, now: number): Decision<Event> {
  const { record } = state;
  if (!record || step.type === "begin") return { events: [] };
  const { breached, mismatch } = step.result;
  const known = state.look?.breached ?? [];
  const looked: Event = {
    type: "looked",
    look: { at: now, breached, mismatch },
    breached: breached.filter((breach) => !known.some((other) => isSame(breach, other))),
    mismatch: mismatch && !(state.look?.mismatch ?? false),
  };
  const pausing = breached.find(({ metric }) => isPausing(record, metric));
  if (record.status !== "running" || !pausing) return { events: [looked] };
  const reason = `the guardrail ${pausing.metric} is breached by ${pausing.variant}`;
  const paused = nextRecord<ExperimentRecord>(record, { ...record, status: "paused" }, now)!;
  return { events: [looked, { type: "changed", record: paused, reason }] };
}

function isSame(a: Breach, b: Breach): boolean {
  return a.metric === b.metric && a.variant === b.variant;
}

function isPausing({ metrics }: ExperimentRecord, key: string): boolean {
  return metrics.some((metric) => metric.key === key && metric.on_breach === "pause");
}

function notStarted(): Refusal {
  return refuse("FAILED_PRECONDITION", "the experiment is a draft: start it first", {
    reason: "NOT_STARTED",
  });
}
