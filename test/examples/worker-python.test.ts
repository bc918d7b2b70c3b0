import test from "ava";
import { runExample, withPython } from "../support/example-readme.ts";
import { casesNeeding } from "../support/needing.ts";

casesNeeding("the example of a worker in Python", ["python", "curl"], () => {
  test("the commands of its README work as written", async (t) => {
    const said = await runExample(t, "worker-python", { environment: withPython });
    t.is(said.trim().split("\n").at(-1), "9 completed, 1 dead");
  });
});
