import { toRfc3339 } from "#base";
import { messageOf } from "../../kit/message.ts";
import type { Message } from "../../kit/record.ts";
import type { Body } from "../body/body.ts";
import type { Run, RunError, StepState, Wait } from "./run.ts";

/** A run as its index lists it. `mark`: what the stats count besides the status. */
export interface RunEntry {
  readonly id: string;
  readonly status: Run["status"];
  readonly environment: string;
  readonly definition_id: string;
  readonly mark: Mark;
  readonly tenant: string;
  readonly definitionKey: string;
  readonly version: number;
  readonly runKey: string;
  readonly error?: RunError;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly endedAt: number;
  readonly recordVersion: number;
}

/** `dead`: failed, and neither retried nor dismissed. */
type Mark = "none" | "idle" | "incompatible" | "dead";

/** From an index to the run that it makes. */
export interface RunCreation {
  readonly type: "create";
  readonly run: Run;
  readonly body: Body;
  readonly input: unknown;
  /** The status under which the index lists it; unset: that of `run`. */
  readonly listed?: Run["status"];
}

/** From a run to its index. */
export type IndexMessage =
  | { readonly type: "changed"; readonly entry: RunEntry }
  | { readonly type: "deleted"; readonly id: string };

export function entryOf(run: Run, incompatible: boolean): RunEntry {
  const { id, status, environment, tenant, definitionKey, version, runKey, error } = run;
  const { createdAt, updatedAt, endedAt, recordVersion } = run;
  return {
    id,
    status,
    environment,
    definition_id: run.definitionId,
    mark: markOf(run, incompatible),
    tenant,
    definitionKey,
    version,
    runKey,
    ...(error && { error }),
    createdAt,
    updatedAt,
    endedAt,
    recordVersion,
  };
}

function markOf({ status, dismissedAt, idleSince }: Run, incompatible: boolean): Mark {
  if (status === "failed") return dismissedAt === 0 ? "dead" : "none";
  if (incompatible) return "incompatible";
  return idleSince > 0 ? "idle" : "none";
}

/** Without what only the run itself has: input, output and what it waits for. */
export function entryMessage({ tenant, mark, error, ...entry }: RunEntry): Message {
  return {
    ...messageOf(entry),
    tenant_id: tenant,
    incompatible: mark === "incompatible",
    ...(error && { error: messageOf(error) }),
  };
}

export function runMessage(
  run: Run,
  input: unknown,
  steps: Iterable<StepState>,
  incompatible: boolean,
): Message {
  const waiting = [...steps].flatMap((step) => waitMessage(step));
  return {
    ...entryMessage(entryOf(run, incompatible)),
    input,
    ...(run.output !== undefined && { output: run.output }),
    waiting_for: waiting,
    ...(run.idleSince > 0 && { idle_since: toRfc3339(run.idleSince) }),
    ...(run.dismissedAt > 0 && { dismissed_at: toRfc3339(run.dismissedAt) }),
  };
}

export function stepMessage(step: StepState): Message {
  const { output, error, taken: _, wait: __, ...shown } = step;
  return {
    ...messageOf(shown),
    ...(output !== undefined && output !== null && step.type !== "end" && { output }),
    ...(error && { error: messageOf(error) }),
    waiting_for: waitMessage(step),
  };
}

function waitMessage({ id, wait, status }: StepState): Message[] {
  if (!wait || (status !== "running" && status !== "cancelling")) return [];
  const until = "at" in wait ? wait.at : wait.timeoutAt;
  return [
    {
      step_id: id,
      kind: wait.on === "held" && "execution_id" in wait.held ? "execution" : kinds[wait.on],
      ...(wait.on === "event" && { event_key: wait.key }),
      ...(wait.on === "held" && heldMessage(wait.held)),
      ...(until > 0 && { until: toRfc3339(until) }),
    },
  ];
}

function heldMessage({ queue_item_id, execution_id }: Readonly<Record<string, unknown>>): Message {
  return execution_id === undefined ? { queue_item_id } : { execution_id };
}

const kinds: Readonly<Record<Wait["on"], string>> = {
  call: "call",
  held: "item",
  timer: "timer",
  event: "event",
  retry: "retry",
};
