import test from "ava";
import { fillPoolConfig, type PoolConfigInput } from "./pool-config.ts";
import { checkPoolConfig } from "./pool-config-check.ts";

test("a part that an update left incomplete is refused, naming what is missing", (t) => {
  const incomplete = {
    fairness: { weights: {} },
    sticky: {},
    admission: { singleton: { key: "item.key" }, debounce: {}, throttle: { limit: 5 } },
  } as unknown as PoolConfigInput;
  t.deepEqual(
    checkPoolConfig(fillPoolConfig(incomplete))?.fields?.map(({ field }) => field),
    [
      "config.fairness.key",
      "config.sticky.key",
      "config.admission.singleton.mode",
      "config.admission.debounce.key",
      "config.admission.debounce.period_ms",
      "config.admission.throttle.period_ms",
    ],
  );
  t.is(checkPoolConfig(fillPoolConfig({})), undefined);
});
