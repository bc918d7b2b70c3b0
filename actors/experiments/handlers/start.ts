import { isRefusal, RefusalError, refuse } from "#base";
import { ask, tryAsk } from "../../kit/ask.ts";
import type { CallContext, Orchestration } from "../../module.ts";
import { type ExperimentRecord, experimentAddress, groupAddress, isOver } from "../record.ts";

interface StartRequest {
  readonly experiment_id: string;
  readonly record_version?: number;
}

/** A draft of a group first takes its range there; one that asks again gets the same. */
export const startExperiment: Orchestration = async (request, call) => {
  const asked = request as StartRequest;
  const record = await look(asked, call);
  const inGroup = record.status === "draft" && record.group !== undefined;
  const group_start = inGroup ? await take(record, call) : undefined;
  const answer = await tryAsk(call, {
    to: experimentAddress(call.caller.tenant, asked.experiment_id),
    method: "Experiment.Start",
    request: { ...asked, ...(group_start !== undefined && { group_start }) },
    step: "",
  });
  if (!isRefusal(answer)) return answer.response;
  if (inGroup && answer.code === "STATE_CONFLICT") await releaseIfOver(record, call);
  throw new RefusalError(answer);
};

function look({ experiment_id }: StartRequest, call: CallContext): Promise<ExperimentRecord> {
  const to = experimentAddress(call.caller.tenant, experiment_id);
  return ask(call, { to, method: "Experiment.Look", request: { experiment_id } });
}

async function take(
  { id, tenant, environment, group }: ExperimentRecord,
  call: CallContext,
): Promise<number> {
  const answer = await tryAsk(call, {
    to: groupAddress(tenant, group!.id),
    method: "ExperimentGroup.Take",
    request: { id: group!.id, experimentId: id, environment, share: group!.share },
  });
  if (!isRefusal(answer)) return (answer.response as { readonly start: number }).start;
  if (answer.code !== "NOT_FOUND") throw new RefusalError(answer);
  throw new RefusalError(
    refuse("FAILED_PRECONDITION", `there is no group ${group!.id}`, { reason: "GROUP_NOT_FOUND" }),
  );
}

/** It ended after it was looked at, and may have given its range back before it took this one. */
async function releaseIfOver(record: ExperimentRecord, call: CallContext): Promise<void> {
  if (!isOver(await look({ experiment_id: record.id }, call))) return;
  await ask(call, {
    to: groupAddress(record.tenant, record.group!.id),
    method: "ExperimentGroup.Release",
    request: { experimentId: record.id },
  });
}
