import test from "ava";
import { runExample } from "../support/example-readme.ts";
import { needing } from "../support/needing.ts";

needing(
  test,
  "go",
  "curl",
)("the commands of the README of the worker in Go work as written", async (t) => {
  const said = await runExample(t, "worker-go", {
    environment: ({ native }) => ({
      GOPROXY: "off",
      SWITCHYARD_GRPC_URL: `http://127.0.0.1:${native}`,
    }),
  });
  t.deepEqual(said.trim().split("\n").slice(-2).sort(), ["HELLO", "WORLD"]);
});
