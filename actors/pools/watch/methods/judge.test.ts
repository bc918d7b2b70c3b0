import { readFileSync } from "node:fs";
import test from "ava";
import { Random } from "#base";
import { judge } from "./judge.ts";
import type { Pattern, Rule } from "./rule.ts";
import { deviationOf, meanOf, quantileOf } from "./statistics.ts";

interface Vector {
  readonly window: readonly number[];
  readonly value: number;
  readonly mean: number;
  readonly deviation: number;
  readonly quartiles: readonly [number, number, number];
  readonly zscore_3: boolean;
  readonly iqr_1_5: boolean;
}

const { vectors } = JSON.parse(
  readFileSync(new URL("../../../../test/vectors/anomalies.json", import.meta.url), "utf8"),
) as { vectors: readonly Vector[] };

const usual: Rule = {
  method: "zscore",
  direction: "both",
  threshold: 3,
  multiplier: 1.5,
  drop: 0.5,
  min_base: 1,
  patterns: [],
};

test("mean, deviation, quartiles and verdicts are those of numpy", (t) => {
  const isNear = (a: number, b: number) => Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(b));
  for (const { window, value, mean, deviation, quartiles, zscore_3, iqr_1_5 } of vectors) {
    t.true(isNear(meanOf(window), mean));
    t.true(isNear(deviationOf(window, meanOf(window)), deviation));
    const sorted = Float64Array.from(window).sort();
    for (const [index, quartile] of quartiles.entries())
      t.true(isNear(quantileOf(sorted, (index + 1) / 4), quartile));
    t.is(judge(usual, { values: window }, value).isAnomaly, zscore_3);
    t.is(judge({ ...usual, method: "iqr" }, { values: window }, value).isAnomaly, iqr_1_5);
  }
});

test("where the window does not vary, any other value is an anomaly without a score", (t) => {
  const values = new Array(30).fill(5);
  for (const method of ["zscore", "iqr"] as const) {
    t.like(judge({ ...usual, method }, { values }, 5), { isAnomaly: false, score: 0 });
    t.like(judge({ ...usual, method }, { values }, 6), {
      isAnomaly: true,
      score: null,
      clamped: 5,
      expected: 5,
    });
  }
});

test("a direction lets the other side pass", (t) => {
  const values = [1, 2, 3, 4, 5, 6, 7, 8];
  for (const method of ["zscore", "iqr"] as const)
    for (const [direction, high, low] of [
      ["both", true, true],
      ["above", true, false],
      ["below", false, true],
    ] as const) {
      t.is(judge({ ...usual, method, direction }, { values }, 100).isAnomaly, high);
      t.is(judge({ ...usual, method, direction }, { values }, -100).isAnomaly, low);
    }
});

test("an anomaly enters the window as the outermost value that is none", (t) => {
  const values = [1, 2, 3, 4, 5];
  const { clamped } = judge(usual, { values }, 1_000);
  t.true(clamped > 5 && clamped < 1_000);
  t.false(judge(usual, { values }, clamped).isAnomaly);
  t.true(judge(usual, { values }, clamped + 1e-6).isAnomaly);
});

test("a rate has changed where it is at most half of the mean of the last five, and that is at least the least base", (t) => {
  const rule: Rule = { ...usual, method: "rate_change" };
  const values = [1_000, 10, 10, 10, 10, 10];
  t.like(judge(rule, { values }, 5), { isAnomaly: true, expected: 10, score: -0.5 });
  t.false(judge(rule, { values }, 5.01).isAnomaly);
  t.false(judge(rule, { values }, 20).isAnomaly, "a rise is no drop");
  t.like(judge({ ...rule, min_base: 11 }, { values }, 0), { isAnomaly: false, score: null });
  t.is(judge(rule, { values }, 0).clamped, 5);
});

const patterns: readonly (readonly [Pattern, number, (length: number) => number[]])[] = [
  ["same_side", 9, (length) => new Array(length).fill(11)],
  ["trend", 6, (length) => Array.from({ length }, (_, index) => 9 + index / 2)],
  ["alternating", 14, (length) => Array.from({ length }, (_, index) => (index % 2 ? 10.5 : 9.5))],
  ["two_of_three", 2, (length) => new Array(length).fill(20)],
  ["flatline", 5, (length) => new Array(length).fill(0)],
];

for (const [pattern, length, run] of patterns)
  test(`${pattern} is found with ${length} points in a row, and not with one less`, (t) => {
    const rule: Rule = { ...usual, method: "pattern", patterns: [pattern] };
    const before = [10, 10, 8, 10, 11, 9, 9, 11, 11, 9, 9, 11, 11, 9, 9, 11, 11, 9, 9, 11, 9, 9, 11, 11, 9];
    for (const given of [length, length - 1]) {
      const points = [...before, ...run(given)];
      const verdict = judge(rule, { values: points.slice(0, -1) }, points.at(-1)!);
      t.is(verdict.isAnomaly, given === length, `${given}`);
      t.is(verdict.score, null);
    }
  });

test("a queue without traffic is no flatline", (t) => {
  const rule: Rule = { ...usual, method: "pattern", patterns: ["flatline"] };
  t.false(judge(rule, { values: new Array(60).fill(0) }, 0).isAnomaly);
});

test("of Gaussian noise, three deviations over 60 points call 0.42 ± 0.06 % of 100,000 ticks an anomaly, as Student says", (t) => {
  const random = new Random("noise");
  let window: number[] = [];
  let anomalies = 0;
  for (let tick = -60; tick < 100_000; tick++) {
    const value =
      50 + 7 * Math.sqrt(-2 * Math.log(1 - random.float())) * Math.cos(2 * Math.PI * random.float());
    let clamped = value;
    if (window.length === 60) {
      const verdict = judge(usual, { values: window }, value);
      clamped = verdict.clamped;
      if (verdict.isAnomaly) anomalies++;
      window = window.slice(1);
    }
    window.push(clamped);
  }
  t.true(Math.abs(anomalies / 1_000 - 0.42) <= 0.06, `${anomalies / 1_000} %`);
});
