import { createHash } from "node:crypto";
import { GrowthBook } from "@growthbook/growthbook";
import test from "ava";
import { Random } from "#base";
import { million, slotOf, variantAt, widthsOf } from "./hash.ts";
import { chiSquare } from "./stats/chi-square.ts";

/** As SHA-256 says, without the code under test. */
function slowSlot(salt: string, unit: string): number {
  const digest = createHash("sha256")
    .update(Buffer.from(`${salt}\0${unit}`, "utf8"))
    .digest();
  return Number((BigInt(digest.readUInt32BE(0)) * 1_000_000n) >> 32n);
}

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

test("sha256_v1 is what SHA-256 says, of ids outside ASCII too", (t) => {
  // hashlib.sha256(b"exp\0" + unit.encode()).digest()[:4] * 10**6 >> 32, by Python 3.11.
  const known: readonly (readonly [string, number])[] = [
    ["unit-1", 872_626],
    ["ünit-😀", 224_175],
  ];
  for (const [unit, slot] of known) t.is(slotOf("sha256_v1", "exp", unit), slot);
  const random = new Random("sha");
  for (let i = 0; i < 10_000; i++) {
    const unit = String.fromCodePoint(random.uint32() % 0xd000, 0x10000 + (random.uint32() % 0xffff)) + i;
    if (slotOf("sha256_v1", "salt", unit) !== slowSlot("salt", unit)) t.fail(unit);
  }
});

test("slots are spread evenly, and those of two experiments and of a group are independent", (t) => {
  const units = 1_000_000;
  const bins = 20;
  const first = new Array<number>(bins).fill(0);
  const crossed = new Array<number>(bins * bins).fill(0);
  const grouped = new Array<number>(bins * bins).fill(0);
  for (let i = 0; i < units; i++) {
    const unit = `u${i}`;
    const one = Math.floor((slotOf("sha256_v1", "one", unit) * bins) / million);
    const two = Math.floor((slotOf("sha256_v1", "two", unit) * bins) / million);
    const group = Math.floor((slotOf("fnv1a_v2", "one", unit) * bins) / million);
    first[one]!++;
    crossed[one * bins + two]!++;
    grouped[one * bins + group]!++;
  }
  const even = (cells: readonly number[]) =>
    chiSquare(
      cells,
      cells.map(() => 1 / cells.length),
    ).p;
  t.true(even(first) > 1e-4);
  t.true(even(crossed) > 1e-4);
  t.true(even(grouped) > 1e-4);
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

test("every unit of a full group is in exactly one of its experiments", (t) => {
  const shares = [123_456, 300_000, 1, 576_543];
  const starts = shares.map((_, index) => shares.slice(0, index).reduce((sum, share) => sum + share, 0));
  for (let i = 0; i < 1_000_000; i++) {
    const slot = slotOf("sha256_v1", "group", `u${i}`);
    const inside = shares.filter((share, index) => slot >= starts[index]! && slot < starts[index]! + share);
    if (inside.length !== 1) t.fail(`u${i} is in ${inside.length}`);
  }
  t.pass();
});
