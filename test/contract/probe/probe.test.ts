import { readFileSync } from "node:fs";
import test from "ava";
import { buildProbe } from "./build.ts";

test("the committed descriptor set matches its .proto", (t) => {
  const committed = readFileSync(new URL("probe.binpb", import.meta.url));
  t.true(Buffer.from(buildProbe()).equals(committed));
});
