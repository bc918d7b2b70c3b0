import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import test from "ava";
import { limits } from "./limits/index.ts";

const root = path.resolve(import.meta.dirname, "..");
const areas = path.join(root, "base/limits");
const keyLine = /^ {2}(\w+): /;

/** Keys of each area, as they are written: a key that two areas have would be that of the last. */
const written = readdirSync(areas)
  .filter((file) => file !== "index.ts")
  .flatMap((file) => readFileSync(path.join(areas, file), "utf8").split("\n"));
const keys = written.flatMap((line) => keyLine.exec(line)?.[1] ?? []);

test("every limit is a number above zero, in one area only", (t) => {
  t.true(keys.length > 500, `saw ${keys.length} limits`);
  t.deepEqual(keys.toSorted(), Object.keys(limits).sort());
  for (const [key, value] of Object.entries(limits)) t.true(Number.isFinite(value) && value > 0, key);
});

test("every limit has a reason: above it, or above those it stands with", (t) => {
  for (const [index, line] of written.entries()) {
    const key = keyLine.exec(line)?.[1];
    const above = written[index - 1] ?? "";
    if (key !== undefined) t.true(above.endsWith("*/") || keyLine.test(above), key);
  }
});

test("every limit is used", (t) => {
  const used = new Set<string>();
  for (const folder of ["base", "storage", "runtime", "actors", "gateway", "cli", "test"])
    for (const file of readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" }))
      if (file.endsWith(".ts") && !(folder === "base" && file.startsWith("limits")))
        for (const [word] of readFileSync(path.join(root, folder, file), "utf8").matchAll(/\b[a-z]\w+\b/g))
          used.add(word);
  t.deepEqual(
    keys.filter((key) => !used.has(key)),
    [],
  );
});
