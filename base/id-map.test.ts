import test from "ava";
import fc from "fast-check";
import { IdMap } from "./id-map.ts";
import { newUlid, Random } from "./index.ts";

/** Few enough to meet again, with ends that are alike. */
const key = fc.oneof(
  fc.nat({ max: 40 }).map((n) => `id-${n}`),
  fc.nat({ max: 5 }).map((n) => `${n}-the-same-end`),
);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant("set" as const), key, value: fc.nat() }) },
  { weight: 5, arbitrary: fc.record({ type: fc.constant("delete" as const), key }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("clear" as const) }) },
);

test("it does what a Map does, in the same order", (t) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      const map = new IdMap<number>();
      const model = new Map<string, number>();
      for (const each of steps) {
        if (each.type === "set") {
          t.is(map.set(each.key, each.value), model.get(each.key));
          model.set(each.key, each.value);
        } else if (each.type === "delete") {
          t.is(map.delete(each.key), model.get(each.key));
          model.delete(each.key);
        } else {
          map.clear();
          model.clear();
        }
        t.is(map.size, model.size);
        t.is(map.firstKey, model.keys().next().value);
      }
      t.deepEqual([...map.entries()], [...model]);
      t.deepEqual([...map.values()], [...model.values()]);
      for (let n = 0; n <= 40; n++) {
        t.is(map.get(`id-${n}`), model.get(`id-${n}`));
        t.is(map.has(`id-${n}`), model.has(`id-${n}`));
      }
    }),
  );
});

test("it grows to many, and gives them all up again", (t) => {
  const map = new IdMap<number>();
  const random = new Random(1);
  const ids = Array.from({ length: 20_000 }, (_, n) => newUlid(1_700_000_000_000 + n, random));
  for (const [n, id] of ids.entries()) map.set(id, n);
  t.is(map.size, ids.length);
  t.true(ids.every((id, n) => map.get(id) === n));
  // The last few are found in the smaller table.
  for (const id of ids.slice(0, -10)) map.delete(id);
  t.deepEqual(
    [...map.entries()],
    ids.slice(-10).map((id, n) => [id, ids.length - 10 + n]),
  );
  for (const id of ids.slice(-10)) map.delete(id);
  t.is(map.size, 0);
  t.is(map.firstKey, undefined);
});

test("a change while it is looked through is an error, not a wrong answer", (t) => {
  const map = new IdMap<number>();
  for (const id of ["a", "b", "c"]) map.set(id, 1);
  const error = t.throws(() => {
    for (const [id] of map.entries()) map.delete(id);
  });
  t.regex(error!.message, /not changed while/);
});
