import test from "ava";
import fc from "fast-check";
import { hash32 } from "#base";
import { clockStart, later, nextInRotation, picksAfter } from "../rotation.ts";
import type { Candidate, RotationClock } from "../router.ts";
import { pick, seedOf, sumsOf, twoChoices } from "../strategy.ts";
import { strategies } from "./record.ts";

type Mutable = { -readonly [K in keyof Candidate]: Candidate[K] };

function candidate(index: number, settings: Partial<Candidate> = {}): Mutable {
  const id = `01JRECIPIENT${String(index).padStart(14, "0")}`;
  const plain = { weight: 1, capacity: 0, tier: 0, skills: {}, inFlight: 0, order: 0, picks: 0 };
  return { id, hash: hash32(id), ...plain, ...settings };
}

function candidates(count: number, settings: (index: number) => Partial<Candidate> = () => ({})): Mutable[] {
  return Array.from({ length: count }, (_, index) => candidate(index, settings(index)));
}

function draw(index: number, more: { key?: string; skills?: Record<string, number> } = {}) {
  return { seed: seedOf(`item-${index}`, 0, 7), cost: 1, ...more };
}

test("weighted_random passes a chi-square test over a million draws", (t) => {
  const weights = [1, 2, 3, 5, 8, 13, 21, 34, 55, 100];
  const all = candidates(weights.length, (index) => ({ weight: weights[index]! }));
  const counts = weights.map(() => 0);
  const draws = 1_000_000;
  for (let i = 0; i < draws; i++) {
    const index = pick("weighted_random", all, draw(i), clockStart, sumsOf(all));
    counts[index] = counts[index]! + 1;
  }
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let chiSquare = 0;
  for (const [index, weight] of weights.entries()) {
    const expected = (draws * weight) / total;
    chiSquare += (counts[index]! - expected) ** 2 / expected;
  }
  // The 99.9 % point with nine degrees of freedom.
  t.true(chiSquare < 27.88, `chi-square ${chiSquare}`);
});

test("prefix sums find the same recipient as the walk", (t) => {
  const all = candidates(37, (index) => ({ weight: (index * 7) % 11 || 1 }));
  for (let i = 0; i < 5_000; i++)
    t.is(
      pick("weighted_random", all, draw(i), clockStart, sumsOf(all)),
      pick("weighted_random", all, draw(i), clockStart),
    );
});

test("smooth round robin gives each exactly its weight in every period, and spreads the picks", (t) => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 2, maxLength: 12 }), (weights) => {
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      const all = candidates(weights.length, (index) => ({ weight: weights[index]! }));
      let clock: RotationClock = clockStart;
      const given = weights.map(() => 0);
      for (let turn = 1; turn <= total * 3; turn++) {
        const index = nextInRotation(all, clock);
        given[index] = given[index]! + 1;
        all[index]!.picks = picksAfter(all[index]!, clock);
        clock = later(clock, all[index]!);
        const furthest = Math.max(
          ...weights.map((weight, one) => Math.abs(given[one]! - (turn * weight) / total)),
        );
        t.true(furthest <= weights.length / 2 + 1, `off by ${furthest} after ${turn} picks`);
        if (turn % total === 0)
          t.deepEqual(
            given,
            weights.map((weight) => (weight * turn) / total),
          );
      }
    }),
    { numRuns: 60 },
  );
});

test("round robin with equal weights goes round in order", (t) => {
  const all = candidates(3);
  let clock: RotationClock = clockStart;
  const order: number[] = [];
  for (let i = 0; i < 9; i++) {
    const index = nextInRotation(all, clock);
    order.push(index);
    all[index]!.picks = picksAfter(all[index]!, clock);
    clock = later(clock, all[index]!);
  }
  t.deepEqual(order, [0, 1, 2, 0, 1, 2, 0, 1, 2]);
});

test("who was away from a rotation rejoins it and does not catch up", (t) => {
  const all = candidates(3);
  let clock: RotationClock = clockStart;
  const take = (from: readonly Mutable[]) => {
    const chosen = from[nextInRotation(from, clock)]!;
    chosen.picks = picksAfter(chosen, clock);
    clock = later(clock, chosen);
    return chosen;
  };
  for (let i = 0; i < 100; i++) take(all.slice(0, 2));
  const counts = new Map<string, number>();
  for (let i = 0; i < 30; i++) {
    const { id } = take(all);
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  for (const { id } of all) t.true(Math.abs(counts.get(id)! - 10) <= 1, `${counts.get(id)}`);
});

test("two_choice keeps the fullest within 1.15 of the mean", (t) => {
  const all = candidates(100);
  for (let i = 0; i < 10_000; i++) {
    const chosen = all[pick("two_choice", all, draw(i), clockStart)]!;
    chosen.inFlight++;
  }
  const fullest = Math.max(...all.map(({ inFlight }) => inFlight));
  t.true(fullest / 100 <= 1.15, `max/mean ${fullest / 100}`);
});

test("two_choice follows weights", (t) => {
  const all = candidates(50, (index) => ({ weight: index < 25 ? 1 : 3 }));
  for (let i = 0; i < 20_000; i++) {
    const chosen = all[pick("two_choice", all, draw(i), clockStart)]!;
    chosen.inFlight++;
  }
  const loads = all.map(({ inFlight, weight }) => inFlight / weight);
  t.true(Math.max(...loads) / (loads.reduce((sum, load) => sum + load, 0) / 50) <= 1.15);
});

test("one of 100 recipients coming or going moves at most 1.5 % of sticky keys", (t) => {
  const before = candidates(100);
  const keys = Array.from({ length: 20_000 }, (_, index) => `customer-${index}`);
  const homes = (all: readonly Candidate[]) =>
    keys.map((key) => all[pick("sticky_hash", all, draw(0, { key }), clockStart)]!.id);
  const base = homes(before);
  const moved = (now: readonly string[]) =>
    now.filter((id, index) => id !== base[index]).length / keys.length;
  const gone = moved(homes(before.filter((_, index) => index !== 41)));
  const more = moved(homes([...before, candidate(100)]));
  t.true(gone <= 0.015, `${gone} moved with one gone`);
  t.true(more <= 0.015, `${more} moved with one more`);
});

test("sticky keys spread by weight", (t) => {
  const all = candidates(10, (index) => ({ weight: index === 0 ? 10 : 1 }));
  const counts = all.map(() => 0);
  for (let i = 0; i < 20_000; i++) {
    const index = pick("sticky_hash", all, draw(0, { key: `k${i}` }), clockStart);
    counts[index] = counts[index]! + 1;
  }
  const share = counts[0]! / 20_000;
  t.true(Math.abs(share - 10 / 19) < 0.02, `share ${share}`);
});

test("sticky_hash lets no recipient above 1.25 of its share, rounded up", (t) => {
  const all = candidates(10);
  for (let i = 0; i < 5_000; i++) {
    // One hot key: without the bound all of it would go to one recipient.
    const chosen =
      all[pick("sticky_hash", all, draw(0, { key: i % 3 === 0 ? `k${i}` : "hot" }), clockStart)]!;
    chosen.inFlight++;
    t.true(chosen.inFlight <= Math.ceil((1.25 * (i + 1)) / 10), `${chosen.inFlight} of ${i + 1}`);
  }
});

test("least_loaded compares what is in flight against capacity", (t) => {
  const all = [
    candidate(0, { capacity: 100, inFlight: 30 }),
    candidate(1, { capacity: 10, inFlight: 2 }),
    candidate(2, { capacity: 10, inFlight: 4 }),
  ];
  t.is(pick("least_loaded", all, draw(1), clockStart), 1);
});

test("least_loaded shares among equals", (t) => {
  const all = candidates(4);
  const seen = new Set(Array.from({ length: 200 }, (_, i) => pick("least_loaded", all, draw(i), clockStart)));
  t.is(seen.size, 4);
});

test("priority takes the lowest tier that is there", (t) => {
  const all = candidates(6, (index) => ({ tier: index < 2 ? 2 : index < 4 ? 1 : 3 }));
  for (let i = 0; i < 200; i++) t.is(all[pick("priority", all, draw(i), clockStart)]!.tier, 1);
  for (let i = 0; i < 50; i++)
    t.is(all.slice(4)[pick("priority", all.slice(4), draw(i), clockStart)]!.tier, 3);
});

test("longest_idle takes who was assigned longest ago, the never assigned first", (t) => {
  const all = candidates(4, (index) => ({ order: [5, 0, 3, 9][index]! }));
  t.is(pick("longest_idle", all, draw(0), clockStart), 1);
  t.is(pick("longest_idle", [all[0]!, all[2]!, all[3]!], draw(0), clockStart), 1);
});

test("skills takes the best score, then the longest idle", (t) => {
  const all = [
    candidate(0, { skills: { go: 3 }, order: 1 }),
    candidate(1, { skills: { go: 5 }, order: 9 }),
    candidate(2, { skills: { go: 5 }, order: 4 }),
  ];
  t.is(pick("skills", all, draw(0, { skills: { go: 1 } }), clockStart), 2);
});

test("every strategy finds the only recipient, and none where there is none", (t) => {
  for (const strategy of strategies) {
    t.is(pick(strategy, candidates(1), draw(0), clockStart), 0);
    t.is(pick(strategy, [], draw(0), clockStart), -1);
  }
});

test("two_choice never compares a recipient with itself: of two, the fuller is never taken", (t) => {
  const two = candidates(2, (index) => ({ weight: index === 0 ? 9 : 1, inFlight: index === 0 ? 100 : 0 }));
  for (let i = 0; i < 200; i++) t.is(pick("two_choice", two, draw(i), clockStart), 1);
});

test("among equals skills and longest_idle take the first, two_choice the first it drew, least_loaded each as often", (t) => {
  const equal = candidates(3, () => ({ order: 7 }));
  t.is(pick("longest_idle", equal, draw(0), clockStart), 0);
  t.is(pick("skills", equal, draw(0), clockStart), 0);
  const counts = [0, 0, 0];
  for (let i = 0; i < 3_000; i++) {
    const index = pick("least_loaded", equal, draw(i), clockStart);
    counts[index] = counts[index]! + 1;
    t.is(pick("two_choice", equal, draw(i), clockStart), twoChoices(equal, draw(i))[0]);
  }
  for (const count of counts) t.true(Math.abs(count - 1_000) < 120, `${counts}`);
});

test("priority keeps to its tier also where the sums of all weights are at hand", (t) => {
  const all = candidates(4, (index) => ({ tier: index % 2 }));
  for (let i = 0; i < 100; i++) t.is(all[pick("priority", all, draw(i), clockStart, sumsOf(all))]!.tier, 0);
});
