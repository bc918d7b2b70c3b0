/**
 * After a run of all tests: prints the ten slowest files. With `--write`, writes the order in which the next run starts
 * them.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = new URL("../", import.meta.url);
/** Later files are too short to matter. */
const orderedMax = 60;

const measured = readFileSync(new URL("node_modules/.cache/test-durations", root), "utf8")
  .trim()
  .split("\n")
  .map((line) => {
    const [ms, url] = line.split(" ") as [string, string];
    return { seconds: Number(ms) / 1_000, file: fileURLToPath(url).slice(fileURLToPath(root).length) };
  })
  .sort((a, b) => b.seconds - a.seconds);

const total = measured.reduce((sum, { seconds }) => sum + seconds, 0);
console.log(`\n${measured.length} test files took ${Math.round(total)} s of two at a time; the slowest:`);
for (const { seconds, file } of measured.slice(0, 10)) console.log(`  ${seconds.toFixed(1)} s  ${file}`);
if (process.argv.includes("--write"))
  writeFileSync(
    new URL("test/longest.json", root),
    `${JSON.stringify(
      measured.slice(0, orderedMax).map(({ file }) => file),
      null,
      2,
    )}\n`,
  );
