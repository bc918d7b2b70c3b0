import { assert } from "./assert.ts";
import type { Random, SeedWords } from "./random.ts";

/** 128 bits as 24 printable characters: six for each word, the lowest bits first. */
const wordCharacters = 6;
const seedCharacters = 4 * wordCharacters;
/** 64 printable characters from `0` on. */
const first = 0x30;

export function newSeed(random: Random): string {
  return (
    textOf(random.uint32()) + textOf(random.uint32()) + textOf(random.uint32()) + textOf(random.uint32())
  );
}

export function seedWords(seed: string): SeedWords {
  assert(seed.length === seedCharacters, `a seed has ${seedCharacters} characters`);
  return [wordAt(seed, 0), wordAt(seed, 6), wordAt(seed, 12), wordAt(seed, 18)];
}

/** In one go: `toString(36)` takes ten times as long. */
function textOf(n: number): string {
  return String.fromCharCode(
    first + (n & 63),
    first + ((n >>> 6) & 63),
    first + ((n >>> 12) & 63),
    first + ((n >>> 18) & 63),
    first + ((n >>> 24) & 63),
    first + (n >>> 30),
  );
}

function wordAt(seed: string, at: number): number {
  let word = 0;
  for (let i = wordCharacters - 1; i >= 0; i--) word = (word << 6) | (seed.charCodeAt(at + i) - first);
  return word >>> 0;
}
