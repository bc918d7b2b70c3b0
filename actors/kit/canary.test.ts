import { createHash } from "node:crypto";
import test from "ava";
import { hash32 } from "#base";
import { bucketOf, variantOf } from "./canary.ts";

const candidateId = "01J9ZZZZZZZZZZZZZZZZZZZZZZ";
const keys = 1_000_000;

test("a million keys: each share is met within 0.1 points, and a larger one only adds", (t) => {
  const counts = new Map([500, 1_000, 2_500, 5_000].map((bps) => [bps, 0]));
  for (let i = 0; i < keys; i++) {
    const bucket = bucketOf(candidateId, `key-${i}`);
    for (const [bps, count] of counts) if (bucket < bps) counts.set(bps, count + 1);
  }
  for (const [bps, count] of counts) {
    const share = (100 * count) / keys;
    t.true(Math.abs(share - bps / 100) < 0.1, `${share} % of ${bps / 100} %`);
  }
});

test("a million keys have the sides that earlier builds gave them (in a real process over kills: test/crash/sides.test.ts)", (t) => {
  const sides = new Uint8Array(keys);
  for (let i = 0; i < keys; i++) sides[i] = bucketOf(candidateId, `key-${i}`) < 1_000 ? 1 : 0;
  t.is(createHash("sha256").update(sides).digest("hex").slice(0, 16), "e056ad13e9379c31");
  const key = "customer-1";
  t.is(bucketOf(candidateId, key), Math.floor((hash32(`${candidateId}\0${key}`) * 10_000) / 2 ** 32));
});

test("a million keys: each keeps its variant while the share rises, and gets it anew with another candidate", (t) => {
  const shares = [
    [10, 500],
    [20, 1_000],
    [30, 0],
  ] as const;
  const other = "01J9YYYYYYYYYYYYYYYYYYYYYY";
  let both = 0;
  let moved = 0;
  for (let i = 0; i < keys; i++) {
    const key = `customer:${i}`;
    const early = variantOf({ candidateId, shares }, key, 10);
    const late = variantOf({ candidateId, shares }, key, 29);
    if (early === "canary" && late !== "canary") moved++;
    if (late === "canary" && variantOf({ candidateId: other, shares }, key, 29) === "canary") both++;
  }
  t.is(moved, 0);
  t.true(both > 9_500 && both < 10_500, `${both} of a million are on both canaries at 10 %`);
});

test("without a key: stable; before the start and after the stop: no variant", (t) => {
  const canary = {
    candidateId,
    shares: [
      [10, 5_000],
      [20, 0],
    ] as const,
  };
  t.is(variantOf(canary, "", 15), "stable");
  t.is(variantOf(canary, "a", 9), undefined);
  t.is(variantOf(canary, "a", 20), undefined);
});

test("the variant does not depend on the recipient that a key sticks to (chi-square over 16 recipients)", (t) => {
  const cells = Array.from({ length: 16 }, () => [0, 0]);
  for (let i = 0; i < 200_000; i++) {
    const key = `k${i}`;
    let best = 0;
    for (let r = 1; r < 16; r++) if (hash32(`${key}|r${r}`) > hash32(`${key}|r${best}`)) best = r;
    cells[best]![bucketOf(candidateId, key) < 1_000 ? 1 : 0]!++;
  }
  const canary = cells.reduce((sum, cell) => sum + cell[1]!, 0) / 200_000;
  let chi = 0;
  for (const [stable, chosen] of cells as [number, number][]) {
    const all = stable + chosen;
    chi +=
      (chosen - all * canary) ** 2 / (all * canary) +
      (stable - all * (1 - canary)) ** 2 / (all * (1 - canary));
  }
  // 15 degrees of freedom, p = 0.001.
  t.true(chi < 37.7, `${chi}`);
});
