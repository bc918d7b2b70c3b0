import test from "ava";
import { limits } from "#base";
import { controlNames, numberControls } from "./control-numbers.ts";
import { fillPoolConfig } from "./pool-config.ts";

function config(...keys: (string | undefined)[]) {
  const concurrency = keys.map((key) => (key === undefined ? { limit: 1 } : { key, limit: 1 }));
  return { admission: { concurrency } };
}

function numbers(names: readonly string[], ...keys: (string | undefined)[]) {
  return numberControls(fillPoolConfig(config(...keys)), names).admission?.concurrency.map(({ no }) => no);
}

test("a control keeps its number wherever it stands, also after it was away", (t) => {
  let names = controlNames([], config("a", "b", undefined));
  t.deepEqual(numbers(names, "a", "b", undefined), [0, 1, 2]);
  names = controlNames(names, config("b", "c"));
  t.deepEqual(numbers(names, "b", "c"), [1, 3]);
  names = controlNames(names, config("c", undefined, "a"));
  t.deepEqual(numbers(names, "c", undefined, "a"), [3, 2, 0]);
});

test("two controls of one expression are two", (t) => {
  const names = controlNames([], config("a", "a"));
  t.deepEqual(numbers(names, "a", "a"), [0, 1]);
});

test("a pool remembers so many expressions, and never gives away the number of one it has", (t) => {
  let names: readonly string[] = [];
  for (let i = 0; i < 1_000; i++) {
    names = controlNames(names, config("kept", `k${i}`));
    const [kept, other] = numbers(names, "kept", `k${i}`)!;
    t.is(kept, 0);
    t.true(other! > 0 && other! < limits.controlNamesMax);
  }
  t.is(names.length, limits.controlNamesMax);
});
