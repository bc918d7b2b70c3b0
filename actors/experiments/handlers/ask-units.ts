import { handleOf, limits, refusalError } from "#base";
import { ask } from "../../kit/ask.ts";
import type { CallContext } from "../../module.ts";
import { unitsKey } from "../record.ts";
import { snapshotExperiment } from "../service.ts";
import { needsSnapshot, type UnitCommand } from "../units/decide.ts";
import { askUnit } from "../units/service.ts";

interface UnitQuestion {
  readonly experimentId: string;
  readonly shard: number;
  readonly command: UnitCommand;
  /** Of a change: names it among those of the call. */
  readonly step?: string;
}

/** Asks one shard, and brings it the snapshot of the experiment where it has none that is new enough. */
export async function askUnits<Response>(call: CallContext, question: UnitQuestion): Promise<Response> {
  const answer = await askOnce(call, question);
  return answer === needsSnapshot ? askWithSnapshot(call, question) : (answer as Response);
}

/** For a shard that has said it needs one. A change in between makes it need the next. */
export async function askWithSnapshot<Response>(
  call: CallContext,
  question: UnitQuestion,
): Promise<Response> {
  const { experimentId, command } = question;
  for (let round = 0; round < limits.experimentSnapshotsMax; round++) {
    const snapshot = await getSnapshot(call, experimentId);
    const answer = await askOnce(call, { ...question, command: { ...command, snapshot } });
    if (answer !== needsSnapshot) return answer as Response;
  }
  throw refusalError("UNAVAILABLE", "the experiment is being changed", { retryAfterMs: limits.retryAfterMs });
}

/** Refuses where there is no such experiment. */
export function getSnapshot(call: CallContext, experimentId: string) {
  const request = { experiment_id: experimentId };
  return ask(call, snapshotExperiment, { key: handleOf(experimentId), request });
}

function askOnce(call: CallContext, { experimentId, shard, command, step }: UnitQuestion): Promise<unknown> {
  const question = { key: unitsKey(experimentId, shard), request: command };
  return ask(call, askUnit, step === undefined ? question : { ...question, step });
}
