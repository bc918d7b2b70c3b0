import test from "ava";
import fc from "fast-check";
import { SortedWindow } from "./sorted-window.ts";

const window = (max: number, complete: boolean) => new SortedWindow<number>((a, b) => a - b, max, complete);
const identity = (row: number) => row;

test("a window that was emptied is read on where it ended, and keeps what comes before that", (t) => {
  const line = window(4, false);
  line.refill([1, 2, 3], identity, false);
  for (const entry of [1, 2, 3]) t.true(line.remove(entry));
  t.is(line.reach, 3);
  t.false(line.insert(4), "it is in the rows that are yet to be read");
  t.true(line.insert(2), "those rows were read");
  t.is(line.at(0), 2);
  line.refill([4, 5], identity, true);
  t.deepEqual([line.at(0), line.at(1), line.at(2)], [2, 4, 5]);
});

test("entries are read a few at a time, when they are looked at", (t) => {
  const rows = Array.from({ length: 40 }, (_, i) => i + 1);
  const read: number[] = [];
  const line = window(99, false);
  line.refill(rows, (row) => read[read.push(row) - 1]!, false);
  t.deepEqual(read, [40], "the last one says how far rows are here");
  t.is(line.length, 40);
  t.is(line.at(0), 1);
  t.deepEqual(read.slice(1), rows.slice(0, 16));
  t.true(line.remove(1));
  t.is(line.at(14), 16);
  t.is(read.length, 17, "read already");
  t.is(line.at(15), 17);
  t.deepEqual(read.slice(1), rows.slice(0, 32));
  t.is(line.reach, 40);
});

test("an entry among others that are not read yet gets its place", (t) => {
  const line = window(99, false);
  const rows = Array.from({ length: 40 }, (_, i) => 10 * (i + 1));
  line.refill(rows, identity, false);
  t.true(line.insert(255));
  t.is(line.rankOf(255), 25);
  t.true(line.remove(390));
  line.refill([410], identity, true);
  t.true(line.insert(420), "after those that are not read");
  const all = [...rows.filter((row) => row !== 390), 255, 410, 420].sort((a, b) => a - b);
  t.deepEqual(
    Array.from({ length: line.length }, (_, index) => line.at(index)),
    all,
  );
});

test("one that has to give way is beyond it", (t) => {
  const line = window(2, true);
  for (const entry of [10, 20]) t.true(line.insert(entry));
  t.true(line.insert(5));
  t.is(line.reach, 10);
  t.false(line.complete);
  t.true(line.reaches(7));
  t.false(line.reaches(20));
});

test("whatever comes and goes, the window is the beginning of its rows", (t) => {
  const step = fc.record({
    act: fc.constantFrom("insert", "insert", "insert", "shift", "remove", "read"),
    entry: fc.nat(60),
  });
  fc.assert(
    fc.property(fc.boolean(), fc.array(step, { maxLength: 200 }), (complete, steps) => {
      const rows = new Set<number>(complete ? [] : [3, 14, 15, 35, 50]);
      const line = window(5, complete);
      const sorted = () => [...rows].sort((a, b) => a - b);
      for (const { act, entry } of steps) {
        if (act === "insert" && !rows.has(entry)) {
          rows.add(entry);
          line.insert(entry);
        } else if (act === "remove" && rows.delete(entry)) line.remove(entry);
        else if (act === "shift" && line.length > 0) {
          rows.delete(line.at(0)!);
          line.remove(line.at(0)!);
        } else if (act === "read" && !line.complete) {
          const { reach } = line;
          const more = sorted().filter((row) => reach === undefined || row > reach);
          line.refill(more.slice(0, 3), identity, more.length < 3);
        }
        const here = Array.from({ length: line.length }, (_, index) => line.at(index));
        t.deepEqual(here, sorted().slice(0, here.length));
        if (line.complete) t.is(here.length, rows.size);
        const { reach } = line;
        if (reach !== undefined) t.true(here.length >= sorted().filter((row) => row <= reach).length);
      }
    }),
  );
});
