import { handleOf, invalid, limits, RefusalError } from "#base";
import { ask } from "../../kit/ask.ts";
import type { Handler } from "../../module.ts";
import { unitsKey } from "../record.ts";
import { resultsOf } from "../results.ts";
import { lookExperiment } from "../service.ts";
import { sumUnits } from "../units/service.ts";

/** Asks the experiment and all of its shards, and works the statistics out here: nothing of them is kept. */
export const getResults: Handler<"ExperimentService.GetResults"> = async ({ experiment_id, phase }, call) => {
  const question = { key: handleOf(experiment_id), request: { experiment_id } };
  const record = await ask(call, lookExperiment, question);
  if (phase !== undefined && phase > record.phases.length)
    throw new RefusalError(invalid({ field: "phase", reason: `there are ${record.phases.length} phases` }));
  const shards = await Promise.all(
    Array.from({ length: limits.experimentShards }, (_, shard) =>
      ask(call, sumUnits, { key: unitsKey(experiment_id, shard), request: {} }),
    ),
  );
  return resultsOf(record, shards, { now: call.clock.now(), ...(phase !== undefined && { phase }) });
};
