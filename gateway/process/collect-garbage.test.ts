import test from "ava";
import { restOf } from "./collect-garbage.ts";

test("a rest is told twice, and again after the next time of work", (t) => {
  const seen: number[] = [];
  const rest = restOf((now, before) => {
    if (now === undefined) return { idle: 0, active: 0, utilization: 0 };
    t.truthy(before);
    return { idle: 0, active: 0, utilization: seen.at(-1)! };
  });
  const told = [0.01, 0.02, 0.03, 0.5, 0.6, 0.03, 0.01, 0.02, 0.9, 0.05].map((utilization) => {
    seen.push(utilization);
    return rest();
  });
  t.deepEqual(told, [true, true, false, false, false, true, true, false, false, true]);
});
