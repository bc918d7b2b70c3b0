import test from "ava";
import fc from "fast-check";
import { Random, type SeedWords } from "./random.ts";
import { newSeed, seedWords } from "./seed.ts";

const word = fc.integer({ min: 0, max: 2 ** 32 - 1 });

test("every bit of a seed of 128 bits changes what is drawn", (t) => {
  const words: SeedWords = [1, 2, 3, 4];
  const drawn = (seed: SeedWords) => {
    const random = new Random(seed);
    return Array.from({ length: 4 }, () => random.uint32()).join();
  };
  const seen = new Set([drawn(words)]);
  for (let bit = 0; bit < 128; bit++) {
    const changed = words.map((value, i) => (i === bit >> 5 ? (value ^ (1 << (bit & 31))) >>> 0 : value));
    seen.add(drawn(changed as unknown as SeedWords));
  }
  t.is(seen.size, 129);
});

test("a seed as text holds its four words, whatever they are", (t) => {
  fc.assert(
    fc.property(word, word, word, word, (...words) => {
      let next = 0;
      const seed = newSeed({ uint32: () => words[next++]! } as unknown as Random);
      t.is(seed.length, 24);
      t.deepEqual(seedWords(seed), words as unknown as SeedWords);
    }),
  );
});

test("a text that is no seed is refused", (t) => {
  t.throws(() => seedWords("short"));
});
