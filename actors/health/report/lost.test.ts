import test from "ava";
import { isRefusal, limits, refuse } from "#base";
import type { AnyActorDefinition, Ask } from "#runtime";
import { testCaller } from "../../../test/support/entity.ts";
import { tenant } from "../../../test/support/pool.ts";
import { QueueBench } from "../../../test/support/queue.ts";
import type { CallContext } from "../../module.ts";
import { pools } from "../../pools/index.ts";
import { healthReport } from "./handlers/report.ts";
import { healthActor } from "./service.ts";

const noRuns = { total: 0, terminals: 0, failed: 0, idle: 0, incompatible: 0, dead: 0 };

/** A queue on simulated time, whose shard can be lost: then it decides nothing, and nothing that is asked there is answered. */
function start() {
  const bench = new QueueBench();
  const { driver } = bench;
  const lost = new Set<string>();
  const queue = pools.actors.find(({ kind }) => kind === "queue")!;
  const losable: AnyActorDefinition = {
    ...queue,
    decide: (...given) => (lost.has("queue") ? { events: [] } : queue.decide(...given)),
  };
  driver.define(losable);
  driver.define(healthActor);
  const asker = {
    async ask({ to, method, request }: Ask) {
      if (lost.has(to.kind)) return refuse("UNAVAILABLE", "the shard has no owner");
      const response = driver.ask(to, method, request);
      return isRefusal(response) ? response : { response, replayed: false };
    },
  };
  const clock = { now: () => driver.now, monotonic: () => driver.now };
  const call = { caller: testCaller(tenant), asker, clock, deadlineMs: Infinity } as unknown as CallContext;
  const handler = healthReport({
    call: async () => noRuns,
    dependencies: () => ({ ageMs: 0, isAvailable: true }),
  });
  const verdict = async () => ((await handler({}, call)) as { verdict: string }).verdict;
  return { bench, driver, lost, verdict };
}

test("the shard of a queue is lost while an item waits: the verdict is unknown five minutes and a slot later, and stays so", async (t) => {
  const { bench, driver, lost, verdict } = start();
  bench.enqueue();
  driver.advance(20_000);
  t.is(await verdict(), "healthy");
  lost.add("queue");
  const slots = (300_000 + limits.queueTellAgainMs) / limits.healthSlotMs;
  let unknownAfterMs = 0;
  for (let slot = 1; slot <= 2 * slots; slot++) {
    driver.advance(limits.healthSlotMs);
    const found = await verdict();
    if (unknownAfterMs > 0) t.is(found, "unknown", `slot ${slot}`);
    else if (found === "unknown") unknownAfterMs = slot * limits.healthSlotMs;
  }
  t.true(unknownAfterMs > 0 && unknownAfterMs <= 315_000, `${unknownAfterMs} ms`);
});

test("a queue that goes on telling stays healthy as long; the shard of a meter that is lost makes it unknown at once", async (t) => {
  const { bench, driver, lost, verdict } = start();
  bench.enqueue();
  for (let slot = 0; slot < 40; slot++) {
    driver.advance(limits.healthSlotMs);
    t.is(await verdict(), "healthy", `slot ${slot}`);
  }
  lost.add("meter");
  driver.advance(limits.healthSlotMs);
  t.is(await verdict(), "unknown");
  lost.delete("meter");
  driver.advance(limits.healthSlotMs);
  t.is(await verdict(), "healthy");
  lost.add("health");
  await t.throwsAsync(verdict, { message: /no owner/ });
});
