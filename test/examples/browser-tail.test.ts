import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import test from "ava";
import type { Page } from "playwright-core";
import { launchChromium } from "../support/chromium.ts";
import { runExample } from "../support/example-readme.ts";
import { freePort } from "../support/free-port.ts";
import { needing } from "../support/needing.ts";

const root = path.resolve(import.meta.dirname, "../..");

test("the module of the page that follows a stream is sound by tsc --strict", async (t) => {
  t.timeout(240_000);
  const tsc = path.join(root, "node_modules/.bin/tsc");
  await t.notThrowsAsync(
    promisify(execFile)(tsc, ["-p", path.join(root, "examples/browser-tail")]).catch(({ stdout }) => {
      throw new Error(stdout);
    }),
  );
});

needing(
  test,
  "chromium",
  "curl",
)(
  "the commands of the README of the page that follows a stream work as written, and the page shows it",
  async (t) => {
    const port = await freePort();
    const browser = await launchChromium();
    t.teardown(() => browser.close());
    const page = await browser.newPage();
    const verbs = new Set<string>();
    page.on("request", (request) => verbs.add(request.method()));
    page.on("pageerror", (error) => t.fail(error.message));
    const said = await runExample(t, "browser-tail", {
      settings: [`cors.allowed_origins=http://127.0.0.1:${port}`],
      environment: () => ({ PAGE_PORT: `${port}` }),
      between: async (printed, block) => {
        if (block === 1) {
          await page.goto(/^http:.*stream=.*$/m.exec(printed)![0]);
          await page.getByText("Looking for the order").first().waitFor();
          t.deepEqual(await shown(page), ["following", "1 record", ["1"]]);
        } else {
          await page.getByText("the stream is closed").waitFor();
          t.deepEqual(await shown(page), ["the stream is closed", "2 records", ["1", "2"]]);
          t.is(await page.title(), "answers");
        }
      },
    });
    t.regex(said, /stream=/);
    t.deepEqual(verbs, new Set(["GET"]), "it only reads");
  },
);

/** Its state, its count, and the sequences of the records. */
async function shown(page: Page) {
  const figures = (await page.locator("#figures").textContent()) ?? "";
  return [
    await page.locator("#state").textContent(),
    /^\d+ records?/.exec(figures)?.[0],
    await page.locator("li .sequence").allTextContents(),
  ];
}
