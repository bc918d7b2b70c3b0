import test from "ava";
import { startFixture } from "../../test/support/runtime/fixture.ts";

const kept = ({ store }: Awaited<ReturnType<typeof startFixture>>) =>
  [...store.shards.values()].reduce((sum, { entries }) => sum + entries.length, 0);

test("a shard that has fallen silent keeps nothing in the journal that the tables have", async (t) => {
  const fixture = await startFixture();
  for (let burst = 0; burst < 2; burst++) {
    await fixture.ask({ type: "add", amount: 1 });
    await fixture.world.advance(300);
  }
  await fixture.world.advance(5_000);
  t.is(kept(fixture), 0);
});

test("what an earlier ownership term stored and did not trim is trimmed by the next, though nothing more is written", async (t) => {
  const first = await startFixture();
  for (let burst = 0; burst < 2; burst++) {
    await first.ask({ type: "add", amount: 1 });
    await first.world.advance(300);
  }
  t.is(kept(first), 1, "stored, and not trimmed yet");
  const second = await first.restart();
  await second.world.advance(5_000);
  t.is(kept(second), 0);
});
