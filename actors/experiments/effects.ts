import type { EffectHandler } from "#runtime";
import type { ModuleParts } from "../parts.ts";
import type { Breach } from "./record.ts";

/** What a look by timer tells the experiment. */
export interface LookResult {
  readonly breached: readonly Breach[];
  /** The sample ratio of a phase is off. */
  readonly mismatch: boolean;
}

interface Results {
  readonly guardrails: readonly (Breach & { readonly verdict: string })[];
  readonly sample_ratios: readonly { readonly phase: number; readonly mismatch: boolean }[];
  readonly phases: readonly number[];
}

/** Looks at the results as any caller does: there is one way from sums to figures. */
export function lookHandler({ call }: Pick<ModuleParts, "call">): EffectHandler {
  return {
    async run({ address, id, attempt, body, signal }): Promise<LookResult> {
      const experimentId = (body as { readonly id: string }).id;
      const as = {
        tenant: address.tenant,
        subject: `experiment:${experimentId}`,
        key: `${experimentId}.${id}.${attempt}`,
        signal,
      };
      const request = { experiment_id: experimentId };
      const results = (await call("ExperimentService.GetResults", request, as)) as Results;
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
