import test from "ava";
import fc from "fast-check";
import { Changing } from "../../../test/support/queue-model/changing.ts";
import { control } from "../../../test/support/queue-model/facts.ts";
import { hardlyAny, within } from "../../../test/support/queue-model/memory.ts";
import type { Step } from "../../../test/support/queue-model/model.ts";

const step: fc.Arbitrary<Step> = fc.tuple(fc.nat(199), fc.nat(1_000), fc.nat(30));
const steps = fc.array(step, { minLength: 1, maxLength: 80, size: "max" });

for (const [claim, memory] of [
  ["a pool that changes under its items: nothing lost, over limit, overtaken, unheard or stuck", {}],
  ["the same with hardly any memory", hardlyAny],
] as const)
  test(claim, (t) => {
    fc.assert(
      fc.property(control, steps, (settings, played) =>
        within(memory, () => {
          const model = new Changing(settings);
          for (const one of played) model.run(one);
          model.finish();
        }),
      ),
      { numRuns: Number(process.env.MODEL_RUNS ?? 40), includeErrorInReport: true },
    );
    t.pass();
  });
