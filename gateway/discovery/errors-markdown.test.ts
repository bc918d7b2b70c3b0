import { readFileSync } from "node:fs";
import test from "ava";
import { errorsMarkdown } from "./errors-markdown.ts";

test("docs/errors.md is what the table of codes gives", (t) => {
  t.is(readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8"), errorsMarkdown());
});
