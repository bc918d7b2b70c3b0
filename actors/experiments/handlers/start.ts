import { handleOf, isRefusal, RefusalError, refusalError } from "#base";
import { ask, tryAsk } from "../../kit/ask.ts";
import type { CallContext, Handler } from "../../module.ts";
import { releaseRange, takeRange } from "../groups/service.ts";
import { type ExperimentRecord, isOver } from "../record.ts";
import { lookExperiment, startExperiment } from "../service.ts";

/** A draft of a group first takes its range there; one that asks again gets the same. */
export const start: Handler<"ExperimentService.StartExperiment"> = async (request, call) => {
  const record = await look(request.experiment_id, call);
  const { id, group } = record;
  const inGroup = record.status === "draft" && group !== undefined;
  const group_start = inGroup ? await take(record, group, call) : undefined;
  const answer = await tryAsk(call, startExperiment, {
    key: handleOf(id),
    request: { ...request, ...(group_start !== undefined && { group_start }) },
    step: "",
  });
  if (!isRefusal(answer)) return answer.response;
  // It ended after it was looked at, and may have given its range back before it took this one.
  if (inGroup && answer.code === "STATE_CONFLICT" && isOver(await look(id, call)))
    await ask(call, releaseRange, { key: handleOf(group.id), request: { experimentId: id } });
  throw new RefusalError(answer);
};

function look(experiment_id: string, call: CallContext): Promise<ExperimentRecord> {
  return ask(call, lookExperiment, { key: handleOf(experiment_id), request: { experiment_id } });
}

async function take(
  { id, environment }: ExperimentRecord,
  group: NonNullable<ExperimentRecord["group"]>,
  call: CallContext,
): Promise<number> {
  const answer = await tryAsk(call, takeRange, {
    key: handleOf(group.id),
    request: { id: group.id, experimentId: id, environment, share: group.share },
  });
  if (!isRefusal(answer)) return answer.response.start;
  if (answer.code !== "NOT_FOUND") throw new RefusalError(answer);
  throw refusalError("FAILED_PRECONDITION", `there is no group ${group.id}`, { reason: "GROUP_NOT_FOUND" });
}
