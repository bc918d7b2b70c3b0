import { limits, RefusalError } from "#base";
import { ask } from "../../kit/ask.ts";
import type { Orchestration } from "../../module.ts";
import { type ExperimentRecord, experimentAddress, unitsAddress } from "../record.ts";
import { resultsOf } from "../results.ts";
import { invalid } from "../settings.ts";
import type { ShardSums } from "../units/decide.ts";

/** Asks the experiment and all of its shards, and works the figures out here: nothing of them is kept. */
export const getResults: Orchestration = async (request, call) => {
  const { experiment_id, phase } = request as { readonly experiment_id: string; readonly phase?: number };
  const { tenant } = call.caller;
  const to = experimentAddress(tenant, experiment_id);
  const record = await ask<ExperimentRecord>(call, {
    to,
    method: "Experiment.Look",
    request: { experiment_id },
  });
  if (phase !== undefined && phase > record.phases.length)
    throw new RefusalError(invalid([{ field: "phase", reason: `there are ${record.phases.length} phases` }]));
  const shards = await Promise.all(
    Array.from({ length: limits.experimentShards }, (_, shard) =>
      ask<ShardSums>(call, {
        to: unitsAddress(tenant, experiment_id, shard),
        method: "ExperimentUnits.Sums",
        request: {},
      }),
    ),
  );
  return resultsOf(record, shards, { now: call.clock.now(), ...(phase !== undefined && { phase }) });
};
