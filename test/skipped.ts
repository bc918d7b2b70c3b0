/**
 * After a run of tests: lists those that were skipped because a part is missing, and how to get it. `--all`: every part that
 * tests need must be among them, as on a bare machine (`.ci/bare`).
 */
import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Skipped } from "./support/needing.ts";
import { type Part, partKinds } from "./support/parts.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const list = new URL("node_modules/.cache/test-skipped", new URL("../", import.meta.url));
const ofBenches: readonly Part[] = ["postgres", "nats"];

const skipped = (existsSync(list) ? readFileSync(list, "utf8").trim() : "")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line) as Skipped);
console.log(
  skipped.length === 0 ? "\nno test was skipped" : `\n${skipped.length} skipped for missing parts:`,
);
for (const { file, title, missing } of skipped)
  console.log(`  no ${missing.join(", no ")}: ${relative(root, file)}: ${title}`);
const parts = new Set(skipped.flatMap(({ missing }) => missing));
if (parts.size > 0) console.log("to get them:");
for (const part of parts) console.log(`  ${part}: ${partKinds[part].install}`);

if (process.argv.includes("--all")) {
  const found = (Object.keys(partKinds) as Part[]).filter(
    (part) => !ofBenches.includes(part) && !parts.has(part),
  );
  if (found.length > 0) console.error(`not skipped: tests that need ${found.join(", ")}`);
  process.exitCode = found.length > 0 ? 1 : 0;
}
