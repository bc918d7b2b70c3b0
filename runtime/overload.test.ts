import test from "ava";
import type { Verdict } from "../storage/memory/index.ts";
import { type Fixture, settle, startFixture } from "../test/support/runtime/fixture.ts";

/** What the slowed store makes durable in a second. */
const commitsPerSecond = 2_000;
const limits = { shardCount: 1, batchEntriesMax: 40, tenantMailboxDepthMax: 2_000 };

/** More than can wait: every command has a turn, and so a commit, of its own. */
const keys = 4_000;

interface Outcome {
  readonly acknowledged: number;
  readonly refused: number;
  readonly otherwise: number;
  readonly calmP99Ms: number;
  readonly depthMax: number;
  readonly undurableMax: number;
}

/** A busy tenant asks at a fixed rate whatever the answers are; a calm one asks a little beside it. */
async function offer(busyPerSecond: number, seconds: number): Promise<Outcome> {
  // The store holds every append for as long as its entries take; one shard has one append under way.
  let fixture: Fixture;
  const before = (operation: { type: string; entryCount?: number }) => {
    if (operation.type !== "append") return "proceed" as const;
    const heldMs = ((operation.entryCount ?? 0) / commitsPerSecond) * 1_000;
    return new Promise<Verdict>((resolve) => {
      fixture.world.setTimer(heldMs, () => resolve("proceed"));
    });
  };
  fixture = await startFixture({ limits, interference: { before } });
  const { world, ask, runtime } = fixture;
  const counts = { acknowledged: 0, refused: 0, otherwise: 0 };
  const calmMs: number[] = [];
  let depthMax = 0;
  let undurableMax = 0;
  const count = (answer: Awaited<ReturnType<Fixture["ask"]>>) => {
    if (!("refused" in answer)) counts.acknowledged++;
    else if (answer.code === "RATE_LIMITED" && (answer.retryAfterMs ?? 0) > 0) counts.refused++;
    else counts.otherwise++;
  };
  let owed = 0;
  let asks = 0;
  for (let ms = 0; ms < seconds * 1_000; ms++) {
    for (owed += busyPerSecond / 1_000; owed >= 1; owed--)
      void ask({ type: "add", amount: 1 }, { tenant: "busy", key: `k${asks++ % keys}` }).then(count);
    if (ms % 10 === 0) {
      const asked = world.monotonicMs;
      void ask({ type: "add", amount: 1 }, { tenant: "calm" }).then((answer) => {
        if (!("refused" in answer)) calmMs.push(world.monotonicMs - asked);
        count(answer);
      });
    }
    await world.advance(1);
    const [stats] = await runtime.stats();
    depthMax = Math.max(depthMax, stats!.mailboxDepth);
    for (const shard of stats!.shards)
      undurableMax = Math.max(undurableMax, shard.decidedSeq - shard.durableSeq);
  }
  await settle();
  runtime.stop();
  calmMs.sort((a, b) => a - b);
  return { ...counts, calmP99Ms: calmMs[Math.floor(calmMs.length * 0.99)]!, depthMax, undurableMax };
}

test("ten times more than the store can take: goodput stays, memory is bounded, every refusal has a retry hint, a calm tenant hardly notices", async (t) => {
  const seconds = 1;
  const peak = await offer(commitsPerSecond, seconds);
  const flood = await offer(commitsPerSecond * 10, seconds);
  t.log({ peak, flood });
  t.true(flood.acknowledged >= 0.9 * peak.acknowledged, `${flood.acknowledged} of ${peak.acknowledged}`);
  t.true(flood.refused > 0);
  t.is(flood.otherwise, 0);
  t.true(flood.depthMax <= limits.tenantMailboxDepthMax + 100, `${flood.depthMax} wait`);
  t.true(
    flood.undurableMax <= 3 * limits.batchEntriesMax,
    `${flood.undurableMax} are decided and not durable`,
  );
  t.true(flood.calmP99Ms <= 1.5 * peak.calmP99Ms, `${flood.calmP99Ms} ms against ${peak.calmP99Ms} ms`);
});
