import { readdirSync, readFileSync } from "node:fs";
import test from "ava";
import { runbookCodes, runbookIndexPage, runbookMarkdown, runbookPage } from "./runbook-pages.ts";

const folder = new URL("../../docs/runbooks/", import.meta.url);

test("docs/runbooks/ has a page for each reason, and no other", (t) => {
  t.deepEqual(readdirSync(folder).sort(), runbookCodes.map((code) => `${code}.md`).sort());
  for (const code of runbookCodes)
    t.is(readFileSync(new URL(`${code}.md`, folder), "utf8"), runbookMarkdown(code));
});

test("a page has the steps of its reason, and the index leads to all", (t) => {
  const page = runbookPage("READY_DEPTH_DEGRADED");
  t.regex(page, /<h1>Bring the backlog down<\/h1>/);
  t.regex(page, /<li><code>service top<\/code> shows/);
  for (const code of runbookCodes) t.true(runbookIndexPage().includes(`/docs/runbooks/${code}"`));
});
