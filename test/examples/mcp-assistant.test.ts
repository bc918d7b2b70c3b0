import test from "ava";
import { runExample } from "../support/example-readme.ts";
import { needing } from "../support/needing.ts";

needing(test, "curl")("the commands of the README of the assistant work as written", async (t) => {
  const said = await runExample(t, "mcp-assistant", { settings: ["mcp.enabled=true"] });
  const [tools, pools] = said.trim().split("\n").slice(-2);
  t.regex(tools!, /^[1-9]\d+ tools, [1-9]\d+ only read$/);
  t.like(JSON.parse(pools!), { pools: [{ name: "support" }] });
});
