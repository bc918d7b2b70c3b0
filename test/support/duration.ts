import { appendFileSync } from "node:fs";
import test, { registerCompletionHandler } from "ava";

/** Runs in every process of a test file: records how long the file took. */
const { TEST_DURATIONS: list } = process.env;
if (list !== undefined)
  process.on("exit", () =>
    appendFileSync(list, `${Math.round(process.uptime() * 1_000)} ${test.meta.file}\n`),
  );

/** Longer than any file needs to close what it opened. A file that never ends would delay the whole run. */
const closingMaxMs = 60_000;
registerCompletionHandler(() => {
  setTimeout(() => {
    console.error(`${test.meta.file} does not end: ${process.getActiveResourcesInfo().join(", ")} are open`);
    process.exit(1);
  }, closingMaxMs).unref();
});
