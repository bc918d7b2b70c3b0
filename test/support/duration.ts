import { appendFileSync } from "node:fs";
import test, { registerCompletionHandler } from "ava";

/** In every process that runs a test file: writes down how long it took. */
const { TEST_DURATIONS: list } = process.env;
if (list !== undefined)
  process.on("exit", () =>
    appendFileSync(list, `${Math.round(process.uptime() * 1_000)} ${test.meta.file}\n`),
  );

/** Longer than any file needs to close what it opened. A file that never ends would hold up the whole run. */
const closingMaxMs = 60_000;
registerCompletionHandler(() => {
  setTimeout(() => {
    console.error(`${test.meta.file} does not end: ${process.getActiveResourcesInfo().join(", ")} are open`);
    process.exit(1);
  }, closingMaxMs).unref();
});
