import test from "ava";
import { PoolBench } from "../../../test/support/pool.ts";

test("who comes back with a heartbeat is chosen again, and both are told", (t) => {
  const bench = new PoolBench({ strategy: "longest_idle" });
  const [id, other] = bench.recipients([{}, {}]) as [string, string];
  const chosen = () => new Set(Array.from({ length: 4 }, () => bench.route().routing!.recipient_id));
  bench.router("RecipientService.Heartbeat", { recipient_id: id });
  bench.driver.advance(30_000);
  t.like(bench.driver.published.at(-1), { kind: "recipient.offline", subject: id });
  t.deepEqual(chosen(), new Set([other]));
  bench.router("RecipientService.Heartbeat", { recipient_id: id });
  t.like(bench.driver.published.at(-1), { kind: "recipient.online", subject: id });
  t.deepEqual(chosen(), new Set([id, other]));
});

test("the last heartbeat says how long it counts, shorter or longer than the one before", (t) => {
  const bench = new PoolBench();
  const [id] = bench.recipients([{}]) as [string];
  const beat = (ttl_seconds: number) =>
    bench.router("RecipientService.Heartbeat", { recipient_id: id, ttl_seconds });
  beat(5);
  beat(60);
  bench.driver.advance(59_999);
  t.is(bench.recipient(id).status, "STATUS_ACTIVE");
  beat(2);
  bench.driver.advance(2_000);
  t.is(bench.recipient(id).status, "STATUS_OFFLINE");
});

test("a recipient that is removed leaves no timer behind", (t) => {
  const bench = new PoolBench();
  const [id] = bench.recipients([{}, {}]) as [string];
  bench.router("RecipientService.Heartbeat", { recipient_id: id });
  bench.observe(id, "failure", 5);
  const timers = () => bench.driver.timers(bench.at("router")).filter((one) => one.endsWith(id));
  t.deepEqual(timers().sort(), [`heartbeat:${id}`, `probe:${id}`]);
  bench.pool("RecipientService.DeleteRecipient", { recipient_id: id });
  t.deepEqual(timers(), []);
});
