import test from "ava";
import fc from "fast-check";
import { limits } from "#base";
import { mismatch, preferred } from "./eligibility.ts";
import type { Selector } from "./router.ts";
import type { Selectable } from "./selectable.ts";

const ids = ["r1", "r2", "r3", "r4", "r5"];
const name = fc.constantFrom("a", "b", "c", "toString");
const labels = fc.dictionary(name, fc.constantFrom("x", "y"), { maxKeys: 3 });
const skills = fc.dictionary(name, fc.integer({ min: 0, max: 4 }), { maxKeys: 3 });
const selector: fc.Arbitrary<Selector> = fc.record(
  { recipientIds: fc.subarray(ids, { minLength: 2 }), labels, skills },
  { requiredKeys: [] },
);
const many = fc.array(selector, { minLength: limits.selectorsEachMax + 1, maxLength: 12 });
const recipients: fc.Arbitrary<Selectable[]> = fc
  .array(fc.record({ labels, skills }), { minLength: 5, maxLength: 5 })
  .map((traits) => traits.map((one, number) => ({ id: ids[number]!, ...one })));

/** One selector at a time, in order. */
function firstMismatch(recipient: Selectable, selectors: readonly Selector[]) {
  for (const one of selectors) {
    const found = mismatch(recipient, [one]);
    if (found !== undefined) return found;
  }
  return undefined;
}

test("many restrictions exclude a recipient for the same reason as one after the other", (t) => {
  fc.assert(
    fc.property(recipients, many, (all, restrictions) => {
      for (const recipient of all)
        t.is(mismatch(recipient, restrictions), firstMismatch(recipient, restrictions));
    }),
    { numRuns: 2_000 },
  );
});

test("many preferences leave the same recipients as one after the other", (t) => {
  fc.assert(
    fc.property(recipients, many, (all, preferences) => {
      let left: readonly Selectable[] = all;
      for (const preference of preferences) left = preferred(left, [preference]);
      t.deepEqual(preferred(all, preferences), left);
    }),
    { numRuns: 2_000 },
  );
});

/** Counts how often its labels and skills are read. */
function counted(count: { reads: number }): Selectable {
  const traits = <T>(value: T) =>
    new Proxy<Record<string, T>>(
      {},
      {
        get: () => {
          count.reads++;
          return value;
        },
      },
    );
  return { id: "r1", labels: traits("x"), skills: traits(5) };
}

const same: Selector = {
  labels: Object.fromEntries(Array.from({ length: 64 }, (_, number) => [`label-${number}`, "x"])),
  skills: Object.fromEntries(Array.from({ length: 64 }, (_, number) => [`skill-${number}`, 5])),
};

test("given 200 rules that ask for the same, each label and skill of a recipient is read once", (t) => {
  const rules = Array.from({ length: limits.rulesMax }, () => ({ ...same }));
  const count = { reads: 0 };
  t.is(mismatch(counted(count), rules), undefined);
  t.is(count.reads, 128);
  count.reads = 0;
  t.is(preferred([counted(count)], rules).length, 1);
  t.is(count.reads, 128);
});

test("given 200 rules that prefer what no recipient has, the label that fails is read first", (t) => {
  const rules = Array.from({ length: limits.rulesMax }, (_, number) => ({
    labels: { ...same.labels, [`none-${number}`]: "y" },
  }));
  const count = { reads: 0 };
  const all = Array.from({ length: 100 }, () => counted(count));
  t.is(preferred(all, rules).length, all.length);
  t.is(count.reads, limits.rulesMax * (65 + 99));
});
