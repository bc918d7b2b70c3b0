import { hash } from "node:crypto";

export type HashVersion = "sha256_v1" | "fnv1a_v2";

/** Weights, coverages, shares and slots are counted in millionths: sums and comparisons are exact. */
export const million = 1_000_000;

/** Where a unit stands, from 0 to 999,999: the same for the same salt and id, everywhere and for ever. */
export function slotOf(version: HashVersion, salt: string, unitId: string): number {
  return version === "sha256_v1" ? sha256Slot(salt, unitId) : fnvSlot(salt, unitId);
}

/** floor(x * 10^6 / 2^32) of the first 32 bits: the product is below 2^52, so exact in doubles. */
function sha256Slot(salt: string, unitId: string): number {
  const digest = hash("sha256", `${salt}\0${unitId}`, "hex");
  return Math.floor((Number.parseInt(digest.slice(0, 8), 16) * million) / 2 ** 32);
}

/** As GrowthBook's hash version 2, which has 10,000 slots. */
function fnvSlot(salt: string, unitId: string): number {
  return 100 * (fnv1a(String(fnv1a(salt + unitId))) % 10_000);
}

/** 32-bit FNV-1a over the UTF-16 units of a text, as GrowthBook has it. */
function fnv1a(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    value ^= text.charCodeAt(i);
    value = Math.imul(value, 0x01000193);
  }
  return value >>> 0;
}

/** How many slots each variant has: as much of its weight as the coverage leaves. */
export function widthsOf(weights: readonly number[], coverage: number): number[] {
  return weights.map((weight) => Math.floor((weight * coverage) / million));
}

/**
 * The variant whose range has the slot; -1: none has. A range begins at the sum of the weights before it, whatever the coverage:
 * a higher coverage only adds units.
 */
export function variantAt(slot: number, weights: readonly number[], coverage: number): number {
  let start = 0;
  for (const [index, weight] of weights.entries()) {
    if (slot < start) return -1;
    if (slot < start + Math.floor((weight * coverage) / million)) return index;
    start += weight;
  }
  return -1;
}
