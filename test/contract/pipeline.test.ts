import test from "ava";
import { doorsOf } from "./support/clients.ts";
import { probeContract, startTestService } from "./support/service.ts";

const echo = probeContract.byName.get("ProbeService.Echo")!;
const count = probeContract.byName.get("ProbeService.Count")!;

/** The order of the specification, deliberately written out a second time. */
const order = [
  "recovery",
  "telemetry",
  "request-id",
  "api-version",
  "authentication",
  "authorization",
  "tenant",
  "deprecation",
  "validation",
  "concurrency",
  "rate-limit",
  "error-masking",
  "status-mapping",
  "slow-request-log",
];

test("every protocol of both planes passes the fourteen stages in the order of the specification", async (t) => {
  const trace: string[] = [];
  const service = await startTestService({
    observeStage: (stage, step) => trace.push(`${step} ${stage}`),
  });
  const doors = doorsOf(service);
  t.teardown(async () => {
    for (const door of Object.values(doors)) door.close?.();
    await service.close();
  });
  const whole = [
    ...order.map((stage) => `enter ${stage}`),
    ...order.toReversed().map((stage) => `leave ${stage}`),
  ];
  for (const door of Object.values(doors)) {
    trace.length = 0;
    const outcome = await door.unary(echo, { name: "a" });
    t.true(outcome.ok, door.name);
    t.deepEqual(trace, whole, door.name);
    if (door.stream === undefined || door.name.startsWith("REST")) continue;
    trace.length = 0;
    const streamed = await door.stream(count, [{ up_to: 3 }]);
    t.true(streamed.ok, door.name);
    t.deepEqual(trace, whole, `${door.name}, streaming`);
  }
});
