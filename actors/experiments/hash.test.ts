import { readFileSync } from "node:fs";
import { GrowthBook } from "@growthbook/growthbook";
import test from "ava";
import { Random } from "#base";
import type { Context } from "#runtime";
import { type HashVersion, million, slotOf, variantAt, widthsOf } from "./hash.ts";
import type { Snapshot } from "./snapshot.ts";
import { chiSquare } from "./stats/sample-ratio.ts";
import { assignUnit } from "./units/assign.ts";

/** A multiple of 1/1000, as GrowthBook's sums of doubles have no rounding that its 10,000 slots would show. */
function weightsOf(random: Random): number[] {
  const count = 2 + (random.uint32() % 4);
  const cuts = Array.from({ length: count - 1 }, () => 1 + (random.uint32() % 998)).sort((a, b) => a - b);
  return [...cuts, 1_000].map((cut, index) => (cut - (cuts[index - 1] ?? 0)) / 1_000);
}

test("fnv1a_v2 decides as GrowthBook, over 10,000 ids, weights and coverages", (t) => {
  const random = new Random("growthbook");
  for (let i = 0; i < 10_000; i++) {
    const id = i % 3 === 0 ? `ünit-${random.uint32()}-😀` : `unit-${random.uint32()}`;
    const weights = weightsOf(random);
    const coverage = (random.uint32() % 101) / 100;
    const growthbook = new GrowthBook({ attributes: { id }, log: () => {} });
    const result = growthbook.run({
      key: "experiment",
      seed: "salt",
      hashVersion: 2,
      variations: weights.map((_, index) => index) as [number, number, ...number[]],
      weights,
      coverage,
    });
    const theirs = result.inExperiment ? result.variationId : -1;
    const scaled = weights.map((weight) => Math.round(weight * million));
    const slot = slotOf("fnv1a_v2", "salt", id);
    const ours = variantAt(slot, scaled, Math.round(coverage * million));
    if (ours !== theirs) {
      // Where a range ends on the very slot, their sum of doubles may be on either side of it.
      const ends = edgesOf(weights, coverage);
      t.true(
        ends.some((end) => Math.abs(end - slot / million) < 1e-12),
        `${id}: ${ours}, GrowthBook ${theirs}`,
      );
    }
    growthbook.destroy();
  }
  t.pass();
});

function edgesOf(weights: readonly number[], coverage: number): number[] {
  let start = 0;
  return weights.flatMap((weight) => {
    const edges = [start, start + weight * coverage];
    start += weight;
    return edges;
  });
}

test("sha256_v1 is what Python's hashlib says, of ids outside ASCII too", (t) => {
  const samples = JSON.parse(
    readFileSync(new URL("../../test/oracles/samples.json", import.meta.url), "utf8"),
  ) as { readonly sha256_slot: readonly (readonly [readonly [string, string], number])[] };
  t.is(samples.sha256_slot.length, 1_000);
  for (const [[salt, unit], slot] of samples.sha256_slot) t.is(slotOf("sha256_v1", salt, unit), slot, unit);
});

test("10^6 ids: slots are spread evenly, and those of two experiments and of a group are independent", (t) => {
  const bins = 20;
  const first = new Array<number>(bins).fill(0);
  const crossed = new Array<number>(bins * bins).fill(0);
  const grouped = new Array<number>(bins * bins).fill(0);
  const old = new Array<number>(bins).fill(0);
  const binOf = (version: HashVersion, salt: string, unit: string) =>
    Math.floor((slotOf(version, salt, unit) * bins) / million);
  for (let i = 0; i < 1_000_000; i++) {
    const unit = `u${i}`;
    const one = binOf("sha256_v1", "one", unit);
    first[one]!++;
    crossed[one * bins + binOf("sha256_v1", "two", unit)]!++;
    grouped[one * bins + binOf("sha256_v1", "group", unit)]!++;
    old[binOf("fnv1a_v2", "one", unit)]!++;
  }
  const even = (cells: readonly number[]) =>
    chiSquare(
      cells,
      cells.map(() => 1 / cells.length),
    ).p;
  for (const cells of [first, crossed, grouped, old]) t.true(even(cells) > 1e-4);
});

test("a higher coverage moves no unit: it only adds some", (t) => {
  const weights = [200_000, 300_000, 500_000];
  for (let slot = 0; slot < million; slot += 7) {
    let before = -1;
    for (const coverage of [0, 1, 100_000, 333_333, 999_999, million]) {
      const after = variantAt(slot, weights, coverage);
      if (before >= 0 && after !== before) t.fail(`slot ${slot} moves from ${before} to ${after}`);
      before = after;
    }
    if (before < 0) t.fail(`slot ${slot} is in no range at full coverage`);
  }
  t.deepEqual(widthsOf(weights, 500_000), [100_000, 150_000, 250_000]);
});

test("each of 10^6 units of a full group is in exactly one of its experiments", (t) => {
  const shares = [123_456, 300_000, 1, 576_543];
  let start = 0;
  const snapshots = shares.map((share, index) => {
    const group = { id: "group", start, share };
    start += share;
    return snapshotIn(group, `experiment ${index}`);
  });
  t.is(start, million);
  const context = { now: 0 } as Context;
  for (let i = 0; i < 1_000_000; i++) {
    const unit = { unitId: `u${i}`, attributes: {} };
    let inside = 0;
    for (const snapshot of snapshots)
      if (assignUnit(snapshot, unit, null, context).reason === "assigned") inside++;
    if (inside !== 1) return t.fail(`u${i} is in ${inside}`);
  }
  t.pass();
});

function snapshotIn(group: NonNullable<Snapshot["group"]>, id: string): Snapshot {
  return {
    id,
    version: 1,
    environment: "production",
    status: "running",
    hashVersion: "sha256_v1",
    salt: id,
    variants: [{ key: "old" }, { key: "new" }],
    weights: [500_000, 500_000],
    control: 0,
    coverage: million,
    targeting: "",
    group,
    overrides: {},
    metrics: [],
    phase: 1,
    firstPhase: 1,
  };
}
