import { appendFileSync } from "node:fs";
import test from "ava";

/** In every process that runs a test file: writes down how long it took. */
const { TEST_DURATIONS: list } = process.env;
if (list !== undefined)
  process.on("exit", () =>
    appendFileSync(list, `${Math.round(process.uptime() * 1_000)} ${test.meta.file}\n`),
  );
