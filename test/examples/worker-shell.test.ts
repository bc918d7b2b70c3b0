import test from "ava";
import { runExample } from "../support/example-readme.ts";
import { needing } from "../support/needing.ts";

needing(test, "curl")("the commands of the README of the worker in a shell work as written", async (t) => {
  const said = await runExample(t, "worker-shell");
  t.regex(said, /"state": "completed"/);
  t.regex(said, /"result": 6\b/);
});
