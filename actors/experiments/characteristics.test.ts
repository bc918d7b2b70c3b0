import { readFileSync } from "node:fs";
import test from "ava";
import { limits, Random } from "#base";
import { degreesOfFreedom, differenceOf, sequential, welch } from "./stats/inference.ts";
import { sampleRatioP } from "./stats/sample-ratio.ts";
import type { Sample } from "./stats/samples.ts";

/** How often the tests are right, over many experiments with fixed seeds: what a formula that is only nearly right would show. */
const looks = 50;
const perLook = 100;
const alpha = 0.05;

/** Units of one arm, as they come. */
class Arm {
  #n = 0;
  #sum = 0;
  #squares = 0;
  readonly #random: Random;
  readonly #mean: number;
  constructor(random: Random, mean: number) {
    this.#random = random;
    this.#mean = mean;
  }

  /** Values of a skewed distribution with variance 1: u², centred. */
  grow(): Sample {
    for (let i = 0; i < perLook; i++) {
      const u = this.#random.float();
      const value = this.#mean + (u * u - 1 / 3) * skew;
      this.#sum += value;
      this.#squares += value * value;
    }
    this.#n += perLook;
    const mean = this.#sum / this.#n;
    return { n: this.#n, mean, variance: (this.#squares - this.#sum * mean) / (this.#n - 1) };
  }
}

/** Makes the variance of u² (4/45) one. */
const skew = Math.sqrt(45 / 4);

test("2,000 A/A tests looked at 50 times: sequential rejects at most α, fixed with peeking far more", (t) => {
  const runs = 2_000;
  let [sequentially, peeking] = [0, 0];
  for (let run = 0; run < runs; run++) {
    const random = new Random(`aa ${run}`);
    const [a, b] = [new Arm(random, 1), new Arm(random, 1)];
    let [rejected, peeked] = [false, false];
    for (let look = 0; look < looks; look++) {
      const [c, d] = [a.grow(), b.grow()];
      const difference = differenceOf(d, c);
      rejected ||= sequential(difference, c.n + d.n, { alpha, tuning: 5_000 }).p < alpha;
      peeked ||= welch(difference, degreesOfFreedom(c, d), alpha).p < alpha;
    }
    if (rejected) sequentially++;
    if (peeked) peeking++;
  }
  t.log(`sequential ${sequentially / runs}, fixed with peeking ${peeking / runs}`);
  const bound = alpha + 3 * Math.sqrt((alpha * (1 - alpha)) / runs);
  t.true(sequentially / runs <= bound);
  t.true(sequentially > 0);
  t.true(peeking / runs > 3 * bound);
});

test("a planted difference is found, and intervals hold it at every look", (t) => {
  const runs = 500;
  const planted = 0.1;
  let [found, everHeld, heldAtEnd] = [0, 0, 0];
  for (let run = 0; run < runs; run++) {
    const random = new Random(`power ${run}`);
    const [a, b] = [new Arm(random, 1), new Arm(random, 1 + planted)];
    let [significant, held, last] = [false, true, false];
    for (let look = 0; look < looks; look++) {
      const [c, d] = [a.grow(), b.grow()];
      const difference = differenceOf(d, c);
      const { p, lower, upper } = sequential(difference, c.n + d.n, { alpha, tuning: 5_000 });
      significant ||= p < alpha;
      held &&= lower <= planted && planted <= upper;
      const fixed = welch(difference, degreesOfFreedom(c, d), alpha);
      last = fixed.lower <= planted && planted <= fixed.upper;
    }
    if (significant) found++;
    if (held) everHeld++;
    if (last) heldAtEnd++;
  }
  const spread = 3 * Math.sqrt((alpha * (1 - alpha)) / runs);
  t.log(`found ${found / runs}, held at every look ${everHeld / runs}, fixed at the end ${heldAtEnd / runs}`);
  t.true(found / runs > 0.9);
  t.true(everHeld / runs >= 1 - alpha - spread);
  t.true(Math.abs(heldAtEnd / runs - (1 - alpha)) <= spread);
});

/** Looks until the ratio is off; `lost`: the share of the second arm's units that never arrive. */
function isOff(
  random: Random,
  { steps, step, lost }: { steps: number; step: number; lost: number },
): boolean {
  const counts = [0, 0];
  for (let look = 0; look < steps; look++) {
    for (let i = 0; i < step; i++) {
      const arm = random.float() < 0.5 ? 0 : 1;
      if (arm === 0 || random.float() >= lost) counts[arm]!++;
    }
    if (sampleRatioP(counts, [1, 1]) < 0.001) return true;
  }
  return false;
}

test("sample ratios: false alarms at most one in a thousand, looked at 1,000 times; a loss of 3 % in one arm is found", (t) => {
  const runs = 2_000;
  let alarms = 0;
  for (let run = 0; run < runs; run++)
    if (isOff(new Random(`srm ${run}`), { steps: 1_000, step: 10, lost: 0 })) alarms++;
  t.log(`false alarms ${alarms / runs}`);
  t.true(alarms / runs <= 0.001 + 3 * Math.sqrt((0.001 * 0.999) / runs));
  let found = 0;
  for (let run = 0; run < 20; run++)
    if (isOff(new Random(`lost ${run}`), { steps: 20, step: 10_000, lost: 0.03 })) found++;
  t.true(found >= 19, `found in ${found} of 20`);
});

/** The exact probability that two equal arms are flagged at a look, where `share` of the units come into the first: over all paths. */
function flagged({ share, looks, step }: Characteristic): number {
  let alive = new Float64Array([1]);
  let gone = 0;
  for (let n = 1; n <= looks * step; n++) {
    const grown = new Float64Array(n + 1);
    for (const [a, chance] of alive.entries()) {
      if (chance < 1e-15) continue;
      grown[a]! += chance * (1 - share);
      grown[a + 1]! += chance * share;
    }
    alive = grown;
    if (n % step > 0) continue;
    for (const [a, chance] of alive.entries()) {
      if (chance === 0 || sampleRatioP([a, n - a], [1, 1]) >= limits.experimentRatioP) continue;
      gone += chance;
      alive[a] = 0;
    }
  }
  return gone;
}

interface Characteristic {
  readonly share: number;
  readonly looks: number;
  readonly step: number;
  readonly flagged: number;
}

test("sample ratios, by all paths: at most one false alarm in a thousand over 1,000 looks; 70:30 and 55:45 are flagged in time", (t) => {
  const path = new URL("../../test/vectors/sample-ratio.json", import.meta.url);
  const { characteristics } = JSON.parse(readFileSync(path, "utf8")) as { characteristics: Characteristic[] };
  for (const one of characteristics) {
    const found = flagged(one);
    t.log(`${one.share} of the units, ${one.looks} looks, ${one.step} units apart: ${found}`);
    t.true(Math.abs(found - one.flagged) < 1e-9, `${found}, not ${one.flagged}`);
    if (one.share === 0.5) t.true(found <= 0.001);
    else t.true(found > 0.8);
  }
  t.true(sampleRatioP([105, 45], [1, 1]) < limits.experimentRatioP, "70:30 after 150 units");
  t.true(sampleRatioP([1_650, 1_350], [1, 1]) < limits.experimentRatioP, "55:45 after 3,000 units");
});
