import { limits, RefusalError, refuse } from "#base";
import type { Address } from "#runtime";
import { ask } from "../../kit/ask.ts";
import type { CallContext } from "../../module.ts";
import { experimentAddress, unitsAddress } from "../record.ts";
import type { Snapshot } from "../snapshot.ts";
import { needsSnapshot, type UnitCommand } from "../units/decide.ts";

export const unitsMethod = "ExperimentUnits.Do";

interface UnitQuestion {
  readonly experimentId: string;
  readonly shard: number;
  readonly command: UnitCommand;
  /** Of a change: names it among those of the call. */
  readonly step?: string;
}

/** Asks one shard, and brings it the snapshot of the experiment where it has none that is new enough. */
export async function askUnits<Response>(call: CallContext, question: UnitQuestion): Promise<Response> {
  const to = unitsAddress(call.caller.tenant, question.experimentId, question.shard);
  const answer = await askOnce(call, to, question);
  return answer === needsSnapshot ? askWithSnapshot(call, question) : (answer as Response);
}

/** For a shard that has said it needs one. A change in between makes it need the next. */
export async function askWithSnapshot<Response>(
  call: CallContext,
  question: UnitQuestion,
): Promise<Response> {
  const { tenant } = call.caller;
  const { experimentId, shard, command } = question;
  const to = unitsAddress(tenant, experimentId, shard);
  for (let round = 0; round < limits.experimentSnapshotsMax; round++) {
    const snapshot = await ask<Snapshot>(call, {
      to: experimentAddress(tenant, experimentId),
      method: "Experiment.Snapshot",
      request: { experiment_id: experimentId },
    });
    const answer = await askOnce(call, to, { ...question, command: { ...command, snapshot } });
    if (answer !== needsSnapshot) return answer as Response;
  }
  throw new RefusalError(
    refuse("UNAVAILABLE", "the experiment is being changed", { retryAfterMs: limits.retryAfterMs }),
  );
}

function askOnce(call: CallContext, to: Address, { command, step }: UnitQuestion): Promise<unknown> {
  return ask(call, { to, method: unitsMethod, request: command, ...(step !== undefined && { step }) });
}
