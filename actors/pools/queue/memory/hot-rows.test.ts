import test from "ava";
import type { Context, RangeRef, RowRef } from "#runtime";
import type { Missing } from "../rows/missing.ts";
import { HotRows } from "./hot-rows.ts";

const stored = new Map(["a", "b", "c", "d"].map((name) => [`k:${name}`, name]));

/** Runs a command that looks up these keys until it needs no more rows, and then makes its answer: what that finds. */
function answer(hot: HotRows<string>, keys: readonly string[]): (string | null | undefined)[] {
  const loaded = new Map<string, unknown>();
  const context = {
    row: ({ key }: RowRef) => loaded.get(key.join(":")),
    range: (ref: RangeRef) => loaded.get(ref.collection),
  } as Context;
  const look = (missing: Missing) => keys.map((key) => hot.get(key, context, missing));
  for (let round = 0; round < 10; round++) {
    const missing: Missing = [];
    look(missing);
    if (missing.length === 0) break;
    for (const ref of missing)
      if ("key" in ref) loaded.set(ref.key.join(":"), stored.get(ref.key.join(":")) ?? null);
      else
        loaded.set(
          ref.collection,
          [...stored].slice(0, ref.limit).map(([key, value]) => ({ key: key.split(":"), value })),
        );
  }
  return look([]);
}

test("what a command found is there for its answer, also where it was the next to be forgotten", (t) => {
  const hot = new HotRows<string>("letters", 2);
  hot.forget();
  t.deepEqual(answer(hot, ["k:a", "k:b"]), ["a", "b"]);
  t.deepEqual(answer(hot, ["k:a", "k:c"]), ["a", "c"]);
  t.deepEqual(answer(hot, ["k:c", "k:x", "k:a"]), ["c", null, "a"]);
});
