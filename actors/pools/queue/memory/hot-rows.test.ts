import test from "ava";
import type { Context, RangeRef, RowRef } from "#runtime";
import { HotRows } from "./hot-rows.ts";

const stored = new Map(["a", "b", "c", "d"].map((name) => [`k:${name}`, name]));

/** Runs a command that looks up these keys until it needs no more rows, and then makes its answer: what that finds. */
function answer(hot: HotRows<string>, keys: readonly string[]): (string | null | undefined)[] {
  const loaded = new Map<string, unknown>();
  let unread: (RowRef | RangeRef)[] = [];
  const read = (name: string, ref: RowRef | RangeRef) => {
    if (!loaded.has(name)) unread.push(ref);
    return loaded.get(name);
  };
  const context = {
    row: (ref: RowRef) => read(ref.key.join(":"), ref),
    range: (ref: RangeRef) => read(ref.collection, ref),
  } as Context;
  const look = () => keys.map((key) => hot.get(key, context));
  for (let round = 0; round < 10; round++) {
    unread = [];
    look();
    if (unread.length === 0) break;
    for (const ref of unread)
      if ("key" in ref) loaded.set(ref.key.join(":"), stored.get(ref.key.join(":")) ?? null);
      else
        loaded.set(
          ref.collection,
          [...stored].slice(0, ref.limit).map(([key, value]) => ({ key: key.split(":"), value })),
        );
  }
  return look();
}

test("what a command found is there for its answer, also where it was the next to be forgotten", (t) => {
  const hot = new HotRows<string>("letters", 2);
  hot.forget();
  t.deepEqual(answer(hot, ["k:a", "k:b"]), ["a", "b"]);
  t.deepEqual(answer(hot, ["k:a", "k:c"]), ["a", "c"]);
  t.deepEqual(answer(hot, ["k:c", "k:x", "k:a"]), ["c", null, "a"]);
});
