import type { ExperimentResults } from "#protos";
import type { EffectHandler } from "#runtime";
import type { ModuleParts } from "../parts.ts";
import type { Breach } from "./record.ts";

/** What a look by timer tells the experiment. */
export interface LookResult {
  readonly breached: readonly Breach[];
  /** The sample ratio of a phase is off. */
  readonly mismatch: boolean;
}

interface Looked {
  readonly id: string;
}

/** Looks at the results as any caller does: there is one way from sums to figures. */
export function lookHandler({ call }: Pick<ModuleParts, "call">): EffectHandler<Looked> {
  return {
    async run({ address, id, attempt, body: { id: experimentId }, signal }): Promise<LookResult> {
      const as = {
        tenant: address.tenant,
        subject: `experiment:${experimentId}`,
        key: `${experimentId}.${id}.${attempt}`,
        signal,
      };
      const request = { experiment_id: experimentId };
      const results = (await call("ExperimentService.GetResults", request, as)) as ExperimentResults;
      return {
        breached: results.guardrails
          .filter(({ verdict }) => verdict === "breached")
          .map(({ metric, variant }) => ({ metric, variant })),
        mismatch: results.sample_ratios.some(
          ({ phase, mismatch }) => mismatch && results.phases.includes(phase),
        ),
      };
    },
  };
}
