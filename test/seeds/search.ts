/** 30-bit numbers that a generator would have drawn in a row if it had generated the value that a caller has seen. */
export interface Seen {
  readonly name: string;
  readonly words: readonly number[];
}

export interface Hit {
  readonly name: string;
  /** The 32-bit seed that generates it. */
  readonly seed: number;
}

/**
 * How many draws of one command are checked. The id of a pool used the first three, its tenant's secret the next six.
 */
const drawsMax = 8;
const bits30 = 0x3fffffff;
const filterBits = 16;
const golden = 0x9e3779b9 | 0;

/**
 * Finds the seeds from `from` to below `below` that generate a seen value. This is the generator of version 0.1: a seed
 * was reduced to 32 bits, four words were mixed from it, and twelve draws were discarded.
 */
export function search(seen: readonly Seen[], from: number, below: number): Hit[] {
  const filter = new Uint8Array(2 ** filterBits);
  for (const { words } of seen) filter[words[0]! & (2 ** filterBits - 1)] = 1;
  const hits: Hit[] = [];
  const draws = new Int32Array(drawsMax);
  for (let seed = from; seed < below; seed++)
    if (drawInto(draws, seed | 0, filter) !== 0)
      for (const { name, words } of seen) if (hasDrawn(draws, words)) hits.push({ name, seed });
  return hits;
}

/**
 * Not 0 if one of the draws may be the first word of a seen value. Uses 32-bit numbers throughout, which is ten times
 * as fast.
 */
function drawInto(draws: Int32Array, seed: number, filter: Uint8Array): number {
  let a = mix((seed + golden) | 0);
  let b = mix((seed + 2 * golden) | 0);
  let c = mix((seed + 3 * golden) | 0);
  let d = mix((seed + 4 * golden) | 0);
  let found = 0;
  for (let round = -12; round < drawsMax; round++) {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    if (round < 0) continue;
    draws[round] = sum;
    found |= filter[sum & (2 ** filterBits - 1)]!;
  }
  return found;
}

/** True if the words follow each other anywhere among the draws. */
function hasDrawn(draws: Int32Array, words: readonly number[]): boolean {
  for (let at = 0; at + words.length <= draws.length; at++)
    if (words.every((word, i) => (draws[at + i]! & bits30) === word)) return true;
  return false;
}

function mix(h: number): number {
  let z = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
  return (z ^ (z >>> 16)) | 0;
}
