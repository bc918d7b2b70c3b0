import test from "ava";
import fc from "fast-check";
import { Random } from "#base";
import { PoolBench } from "../../../test/support/pool.ts";

test("five failures in a row eject a recipient for 30 seconds, four do not", (t) => {
  const bench = new PoolBench();
  const [bad, good] = bench.recipients([{}, {}]) as [string, string];
  bench.observe(bad, "failure", 4);
  t.is(bench.recipient(bad).status, "STATUS_ACTIVE");
  bench.observe(bad, "success");
  bench.observe(bad, "failure", 4);
  t.is(bench.recipient(bad).status, "STATUS_ACTIVE");
  bench.observe(bad, "failure", 1);
  t.like(bench.recipient(bad), {
    status: "STATUS_EJECTED",
    health: { state: "ejected", ejected_until: new Date(bench.driver.now + 30_000).toISOString() },
  });
  for (let i = 0; i < 20; i++) t.is(bench.route().routing!.recipient_id, good);
});

test("invariant 5: after its ejection a recipient gets one probe at a time", (t) => {
  const bench = new PoolBench({ strategy: "longest_idle" });
  const [bad, good] = bench.recipients([{}, {}]) as [string, string];
  bench.observe(bad, "failure", 5);
  bench.driver.advance(30_000);
  t.like(bench.recipient(bad), { status: "STATUS_EJECTED", health: { state: "half_open" } });
  const chosen = Array.from({ length: 10 }, () => bench.route().routing!);
  t.is(chosen.filter(({ recipient_id }) => recipient_id === bad).length, 1);
  const probe = chosen.find(({ recipient_id }) => recipient_id === bad)!;
  bench.outcome({ routing_id: probe.id, result: "success" });
  t.like(bench.recipient(bad), { status: "STATUS_ACTIVE", health: { state: "healthy" } });
  t.deepEqual(
    new Set(Array.from({ length: 4 }, () => bench.route().routing!.recipient_id)),
    new Set([bad, good]),
  );
});

test("a failed probe ejects for longer, and a probe without an outcome is tried again", (t) => {
  const bench = new PoolBench({ strategy: "longest_idle" });
  const [bad] = bench.recipients([{}, {}]) as [string];
  bench.observe(bad, "failure", 5);
  bench.driver.advance(30_000);
  const probe = () =>
    Array.from({ length: 4 }, () => bench.route().routing!).find((one) => one.recipient_id === bad);
  const first = probe();
  bench.outcome({ routing_id: first!.id, result: "timeout" });
  t.like(bench.recipient(bad), {
    health: {
      state: "ejected",
      ejections: 2,
      ejected_until: new Date(bench.driver.now + 60_000).toISOString(),
    },
  });
  bench.driver.advance(60_000);
  t.truthy(probe());
  t.falsy(probe());
  bench.driver.advance(30_000);
  t.truthy(probe());
});

test("health survives a restart", (t) => {
  const bench = new PoolBench();
  const [bad] = bench.recipients([{}, {}]) as [string];
  bench.observe(bad, "failure", 3);
  bench.driver.restart();
  bench.observe(bad, "failure", 2);
  bench.driver.restart();
  t.is(bench.recipient(bad).status, "STATUS_EJECTED");
  bench.driver.advance(30_000);
  t.like(bench.recipient(bad), { health: { state: "half_open" } });
});

test("resume makes an ejected recipient active at once", (t) => {
  const bench = new PoolBench();
  const [bad] = bench.recipients([{}, {}]) as [string];
  bench.observe(bad, "failure", 5);
  bench.pool("RecipientService.ResumeRecipient", { recipient_id: bad });
  t.like(bench.recipient(bad), {
    status: "STATUS_ACTIVE",
    health: { state: "healthy", consecutive_failures: 0 },
  });
  t.like(bench.driver.published.at(-1), { kind: "recipient.recovered", subject: bad });
});

test("invariant 4: never more than the allowed share is out, whatever fails, leaves or is configured", (t) => {
  fc.assert(
    fc.property(fc.integer(), fc.constantFrom(0, 10, 34, 50, 100), (seed, percent) => {
      const random = new Random(seed);
      const bench = new PoolBench({
        config: { outlier: { consecutive_failures: 2, max_ejected_percent: percent } },
      });
      const ids = bench.recipients(Array.from({ length: 1 + random.int(8) }, () => ({})));
      for (let step = 0; step < 60; step++) {
        const id = random.pick(ids);
        const roll = random.int(10);
        if (roll < 7) bench.observe(id, "failure", 1 + random.int(2));
        else if (roll === 7) bench.driver.advance(random.int(40_000));
        else if (roll === 8) bench.pool("RecipientService.DeleteRecipient", { recipient_id: id });
        else bench.observe(id, "success");
        const all = [...bench.state.recipients.values()];
        const out = all.filter(({ health }) => health.state !== "healthy").length;
        t.true(out <= Math.floor((all.length * percent) / 100), `${out} of ${all.length} at ${percent} %`);
      }
    }),
    { numRuns: 60 },
  );
});

test("a pool of one never loses it", (t) => {
  const bench = new PoolBench();
  const [only] = bench.recipients([{}]) as [string];
  bench.observe(only, "failure", 20);
  t.is(bench.route().routing!.recipient_id, only);
});

test("who never sent a heartbeat stays active, who did goes offline when it is overdue and comes back", (t) => {
  const bench = new PoolBench();
  const [silent, beating] = bench.recipients([{}, {}]) as [string, string];
  t.like(bench.router("RecipientService.Heartbeat", { recipient_id: beating }), {
    id: beating,
    status: "STATUS_ACTIVE",
  });
  bench.driver.advance(20_000);
  bench.router("RecipientService.Heartbeat", { recipient_id: beating });
  bench.driver.advance(29_999);
  t.is(bench.recipient(beating).status, "STATUS_ACTIVE");
  bench.driver.restart();
  bench.driver.advance(1);
  t.is(bench.recipient(beating).status, "STATUS_OFFLINE");
  t.is(bench.recipient(silent).status, "STATUS_ACTIVE");
  for (let i = 0; i < 10; i++) t.is(bench.route().routing!.recipient_id, silent);
  bench.router("RecipientService.Heartbeat", { recipient_id: beating });
  t.is(bench.recipient(beating).status, "STATUS_ACTIVE");
});

test("invariant 7: an outcome with an id counts once, and belongs to one routing", (t) => {
  const bench = new PoolBench({ config: { outlier: { consecutive_failures: 2 } } });
  const [bad] = bench.recipients([{}, { weight: 0 }]) as [string];
  const { routing } = bench.route();
  const outcome = { id: "o-1", routing_id: routing!.id, result: "failure" };
  const first = bench.outcome(outcome).outcome;
  bench.driver.restart();
  t.deepEqual(bench.outcome(outcome).outcome, first);
  bench.driver.advance(80_000_000);
  t.deepEqual(bench.outcome(outcome).outcome, first);
  t.like(bench.recipient(bad), { health: { consecutive_failures: 1 } });
  const other = bench.route().routing!.id;
  t.like(bench.outcome({ ...outcome, routing_id: other }).refusal, { code: "ALREADY_EXISTS" });
  t.like(bench.outcome({ routing_id: "01JVVVVVVV00000000VVVVVVVV", result: "success" }).refusal, {
    code: "NOT_FOUND",
  });
});

test("a smaller share that is configured brings back whom it can no longer do without", (t) => {
  const bench = new PoolBench();
  const ids = bench.recipients([{}, {}, {}, {}]) as [string, string, string, string];
  bench.observe(ids[0], "failure", 5);
  bench.observe(ids[1], "failure", 5);
  const out = () => ids.filter((id) => bench.recipient(id).status === "STATUS_EJECTED").length;
  t.is(out(), 2);
  bench.pool("PoolService.UpdatePool", {
    config: { outlier: { max_ejected_percent: 25 } },
    update_mask: ["config.outlier.max_ejected_percent"],
  });
  t.is(out(), 1);
});

test("failures that are told of an ejected recipient do not eject it again", (t) => {
  const bench = new PoolBench();
  const [bad] = bench.recipients([{}, {}, {}, {}]) as [string];
  bench.observe(bad, "failure", 5);
  const { health } = bench.recipient(bad);
  bench.driver.now += 1_000;
  bench.observe(bad, "failure", 5);
  t.deepEqual(bench.recipient(bad).health, health);
});
