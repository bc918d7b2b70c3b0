import test from "ava";
import fc from "fast-check";
import { Random } from "#base";
import type { Candidate } from "./router.ts";
import { drawWeighted, weightSums } from "./weighted.ts";

test("property: with sums the same candidate is drawn as by walking, also where one is taken out", (t) => {
  const weights = fc.array(fc.integer({ min: 1, max: 1_000 }), { minLength: 2, maxLength: 40 });
  fc.assert(
    fc.property(weights, fc.string(), fc.nat(), (given, seed, taken) => {
      const candidates = given.map((weight) => ({ weight })) as unknown as readonly Candidate[];
      const sums = weightSums(candidates);
      for (const without of [-1, 0, taken % given.length, given.length - 1]) {
        const walked = drawWeighted(candidates, new Random(seed), undefined, without);
        t.is(drawWeighted(candidates, new Random(seed), sums, without), walked);
        t.not(walked, without);
      }
    }),
    { numRuns: 500 },
  );
});
