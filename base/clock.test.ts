import test from "ava";
import fc from "fast-check";
import { toRfc3339 } from "./index.ts";

test("every time is written as JavaScript writes it, in whatever order times come", (t) => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -8.64e15, max: 8.64e15 })), (times) => {
      for (const ms of times.flatMap((ms) => [ms, ms + 1, ms + 64_000, ms])) {
        if (Math.abs(ms) <= 8.64e15) t.is(toRfc3339(ms), new Date(ms).toISOString());
      }
    }),
  );
  for (const ms of [0, 9, 99, 999, 1_000, 1_700_000_000_007, -1])
    t.is(toRfc3339(ms), new Date(ms).toISOString());
  t.throws(() => toRfc3339(Number.NaN), { instanceOf: RangeError });
});
