import test from "ava";
import { limits } from "#base";
import { PoolBench } from "../../../test/support/pool.ts";

/** From half open back to healthy. */
function recover(bench: PoolBench, id: string): void {
  const { untilMs } = bench.state.recipients.get(id)!.health;
  bench.driver.advance(untilMs - bench.driver.now);
  bench.observe(id, "success");
}

test("each ejection in a row lasts longer, up to an hour, and every success after it pays one off", (t) => {
  const bench = new PoolBench({ config: { outlier: { consecutive_failures: 1, ejection_seconds: 1_000 } } });
  const [bad] = bench.recipients([{}, {}]) as [string];
  const lengths: number[] = [];
  for (let i = 0; i < 4; i++) {
    bench.observe(bad, "failure");
    lengths.push(bench.state.recipients.get(bad)!.health.untilMs - bench.driver.now);
    recover(bench, bad);
  }
  t.deepEqual(lengths, [1_000_000, 2_000_000, 3_000_000, limits.ejectionMsMax]);
  t.like(bench.recipient(bad), { health: { state: "healthy", ejections: 4 } });
  bench.observe(bad, "success", 3);
  t.like(bench.recipient(bad), { health: { ejections: 1 } });
  bench.observe(bad, "success", 3);
  bench.observe(bad, "failure");
  t.like(bench.recipient(bad), { health: { ejections: 1 } });
});

test("with 0 failures in a row no recipient is ejected", (t) => {
  const bench = new PoolBench({ config: { outlier: { consecutive_failures: 0 } } });
  const [bad] = bench.recipients([{}, {}]) as [string];
  bench.observe(bad, "failure", 50);
  t.like(bench.recipient(bad), { status: "STATUS_ACTIVE", health: { consecutive_failures: 50 } });
});

test("what was cancelled counts for nothing", (t) => {
  const bench = new PoolBench();
  const [id] = bench.recipients([{}, {}]) as [string];
  bench.observe(id, "failure", 4);
  bench.observe(id, "cancelled", 4);
  t.like(bench.recipient(id), { status: "STATUS_ACTIVE", health: { consecutive_failures: 4 } });
  bench.observe(id, "failure");
  bench.driver.advance(30_000);
  bench.observe(id, "cancelled");
  t.like(bench.recipient(id), { health: { state: "half_open" } });
});

test("a success that is told of an ejected recipient does not bring it back", (t) => {
  const bench = new PoolBench();
  const [bad] = bench.recipients([{}, {}]) as [string];
  bench.observe(bad, "failure", 5);
  bench.observe(bad, "success", 3);
  t.like(bench.recipient(bad), { health: { state: "ejected", ejections: 1 } });
});

test("of two that are out, a smaller pool takes back the one whose time ends first, for good", (t) => {
  const bench = new PoolBench();
  const [first, later, ...others] = bench.recipients([{}, {}, {}, {}]) as [string, string, string];
  bench.observe(later, "failure", 5);
  bench.driver.now += 5_000;
  bench.observe(first, "failure", 5);
  bench.pool("RecipientService.DeleteRecipient", { recipient_id: others[0]! });
  t.is(bench.recipient(later).status, "STATUS_ACTIVE");
  t.is(bench.recipient(first).status, "STATUS_EJECTED");
  t.deepEqual(
    bench.driver.timers(bench.at("router")).filter((id) => id.startsWith("probe:")),
    [`probe:${first}`],
  );
});

test("resume forgets failures for good, and leaves no probe to come", (t) => {
  const bench = new PoolBench();
  const [id] = bench.recipients([{}, {}]) as [string];
  bench.observe(id, "failure", 4);
  bench.pool("RecipientService.ResumeRecipient", { recipient_id: id });
  bench.driver.restart();
  t.like(bench.recipient(id), { health: { consecutive_failures: 0 } });
  bench.observe(id, "failure", 5);
  bench.pool("RecipientService.ResumeRecipient", { recipient_id: id });
  t.deepEqual(
    bench.driver.timers(bench.at("router")).filter((one) => one.startsWith("probe:")),
    [],
  );
});

test("resume of a recipient that is not paused changes its health, and not its version", (t) => {
  const bench = new PoolBench();
  const [id] = bench.recipients([{}, {}]) as [string];
  bench.observe(id, "failure", 5);
  const { record_version } = bench.recipient(id);
  const told = bench.driver.published.length;
  for (let i = 0; i < 2; i++)
    t.like(bench.pool("RecipientService.ResumeRecipient", { recipient_id: id }), {
      status: "STATUS_ACTIVE",
      record_version: record_version as number,
    });
  t.deepEqual(
    bench.driver.published.slice(told).map(({ kind }) => kind),
    ["recipient.recovered"],
  );
});
