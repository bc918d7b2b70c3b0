import test from "ava";
import { judged, measured } from "./result.ts";

test("a bar against another contender uses the median of the ratios of all rounds, not the ratio of medians", (t) => {
  const contenders = measured({
    ours: [{ per_s: 10 }, { per_s: 40 }, { per_s: 30 }],
    theirs: [{ per_s: 10 }, { per_s: 20 }, { per_s: 60 }],
  });
  const bars = [
    { figure: "per_s", contender: "ours", against: "theirs", atLeast: 1.2 },
    { figure: "per_s", contender: "ours", atLeast: 30 },
  ];
  t.deepEqual(
    judged(bars, contenders).map(({ value, held }) => [value, held]),
    [
      [1, false],
      [30, true],
    ],
  );
});
