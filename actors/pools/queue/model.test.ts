import test from "ava";
import fc from "fast-check";
import { control } from "../../../test/support/queue-model/facts.ts";
import { hardlyAny, within } from "../../../test/support/queue-model/memory.ts";
import { Model, type Step } from "../../../test/support/queue-model/model.ts";
import { Reconfigured } from "../../../test/support/queue-model/reconfigured.ts";

const step: fc.Arbitrary<Step> = fc.tuple(fc.nat(99), fc.nat(1_000), fc.nat(30));

for (const [claim, Played, memory] of [
  [
    "random commands, restarts and time: nothing lost, twice done, doubly leased, over limit, leaked or stuck",
    Model,
    {},
  ],
  [
    "controls that change meanwhile: nothing lost, twice done, doubly leased, leaked or stuck",
    Reconfigured,
    {},
  ],
  ["the same with hardly any memory", Model, hardlyAny],
  ["the same with controls that change and hardly any memory", Reconfigured, hardlyAny],
] as const)
  test(claim, (t) => {
    fc.assert(
      fc.property(control, fc.array(step, { minLength: 1, maxLength: 80, size: "max" }), (settings, steps) =>
        within(memory, () => {
          const model = new Played(settings);
          for (const one of steps) model.run(one);
          model.finish();
        }),
      ),
      { numRuns: Number(process.env.MODEL_RUNS ?? 40), includeErrorInReport: true },
    );
    t.pass();
  });
