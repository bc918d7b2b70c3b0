import test from "ava";
import { runExample } from "../support/example-readme.ts";
import { needing } from "../support/needing.ts";

needing(test, "curl")("the commands of the README of the worker in TypeScript work as written", async (t) => {
  const said = await runExample(t, "worker-typescript");
  t.is(said.trim().split("\n").at(-1), "10 pictures, 9 completed, 1 failed");
});
