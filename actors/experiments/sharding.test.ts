import test from "ava";
import { limits, Random } from "#base";
import { DrivenExperiments } from "../../test/support/experiments.ts";
import { type ExperimentRecord, experimentAddress } from "./record.ts";
import { resultsOf } from "./results.ts";
import type { ShardSums, UnitCommand } from "./units/decide.ts";
import type { ExposureEntry, ScoreEntry } from "./units/work.ts";

const tenant = "0000000000000000000000000A";
const metrics = [
  { key: "paid", kind: "binary", role: "primary" },
  { key: "spent", kind: "sum", scale: 2, cap: 50, covariate: true },
  { key: "seen", kind: "count", window_seconds: 30 },
  { key: "rating", kind: "mean", scale: 1 },
];
const units = 300;
const scoresOfEach = 5;

/** One history of exposures and scores, as doors send them; every score proves its exposure, so that any order is possible. */
function historyOf(random: Random, now: number): (ExposureEntry | ScoreEntry)[] {
  return Array.from({ length: units }).flatMap(() => {
    const key = Buffer.from(Array.from({ length: 16 }, () => random.uint32() % 256)).toString("base64url");
    const exposedAt = now - 100_000 + (random.uint32() % 50_000);
    const proven = { variant: random.uint32() % 2, phase: 1, exposedAt };
    const exposure = { key, proven, covariates: {} };
    const scores = Array.from({ length: random.uint32() % scoresOfEach }, (_, n) => ({
      key,
      scoreId: `s${n}`,
      metric: metrics[random.uint32() % metrics.length]!.key,
      value: (random.uint32() % 4_000) / 100,
      occurredAt: exposedAt - 5_000 + (random.uint32() % 60_000),
      proven,
    }));
    return [exposure, ...scores];
  });
}

/** Plays it in a drawn order, in batches, over the first `shards` shards; the unit shards restart in between. */
async function play(shards: number, order: Random) {
  const module = new DrivenExperiments();
  const id = await module.started({ metrics });
  const { driver } = module;
  const ask = (shard: number, request: UnitCommand) =>
    driver.ask(module.shards(id)[shard]!, "experiment_units.Do", request) as unknown[];
  const at = experimentAddress(tenant, id);
  const snapshot = driver.ask(at, "experiment.Snapshot", { experiment_id: id });
  const history = historyOf(new Random("history"), driver.now);
  const shuffled = history.map((entry) => ({ entry, at: order.float() })).sort((a, b) => a.at - b.at);
  const shardOf = ({ key }: { readonly key: string }) => Buffer.from(key, "base64url")[0]! % shards;
  for (const { entry } of shuffled) {
    const type = "scoreId" in entry ? "score" : "expose";
    ask(shardOf(entry), { type, entries: [entry], snapshot } as unknown as UnitCommand);
    if (order.chance(0.02)) driver.restart();
  }
  const record = driver.ask(at, "experiment.Look", { experiment_id: id }) as ExperimentRecord;
  const sums = module.sums(id).slice(0, shards) as ShardSums[];
  const { experiment_id: _, ...figures } = resultsOf(record, sums, { now: driver.now });
  return figures;
}

test("one history in any order, over 1 shard and over 32, has the same results bit for bit", async (t) => {
  const expected = await play(1, new Random("first"));
  t.is(
    (expected.variants as { units: number }[]).reduce((sum, one) => sum + one.units, 0),
    units,
  );
  for (const [index, shards] of [1, limits.experimentShards, limits.experimentShards].entries())
    t.deepEqual(await play(shards, new Random(`order ${index}`)), expected);
});
