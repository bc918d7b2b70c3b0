/** A real browser creates a connection: our pages, a real provider, and back to the caller's page. */
import test from "ava";
import type { Browser } from "playwright-core";
import { launchChromium } from "../support/chromium.ts";
import { needing } from "../support/needing.ts";
import { execute, open, scene } from "../support/oauth.ts";

const inBrowser = needing(test, "chromium");
let browser: Browser;
test.before(async () => {
  browser = await launchChromium();
});
test.after.always(() => browser?.close());

inBrowser(
  "Chromium connects by authorization code and PKCE and returns to the caller's page; another profile cannot use its state",
  async (t) => {
    const made = await scene(t);
    const session = await open(made, { return_url: `${made.app}/done?x=1` });
    const context = await browser.newContext();
    t.teardown(() => context.close());
    const page = await context.newPage();
    const referrers = new Set<string | undefined>();
    let callback = "";
    page.on("request", (request) => {
      if (request.url().includes("/connect/callback")) callback = request.url();
      referrers.add(request.headers().referer);
    });
    await page.goto(`${made.pages}/connect/${session.token}`);
    await page.waitForURL(`${made.app}/**`);
    t.is(page.url(), `${made.app}/done?x=1&connect_session_id=${session.id}&status=connected`);
    t.deepEqual([...referrers], [undefined], "no page sends a Referer");
    t.deepEqual(made.granted, ["authorization_code"]);
    t.is((await execute(made, session.connection_id)).status, "succeeded");

    const other = await browser.newContext();
    t.teardown(() => other.close());
    const stranger = await other.newPage();
    t.is((await stranger.goto(callback))!.status(), 400);
    t.is((await page.goto(callback))!.status(), 400, "nor can it be used twice");
    t.deepEqual(made.granted, ["authorization_code"]);
  },
);

inBrowser(
  "Chromium fills in the API key form under its content policy, and a denied consent returns as failed",
  async (t) => {
    const made = await scene(t);
    const { id: provider_config_id } = await made.world.call<{ id: string }>(
      "ProviderConfigService.CreateProviderConfig",
      {
        name: "calls",
        provider_key: "http",
        auth: "api_key",
        config: { base_url: made.app },
        allowed_return_origins: [made.app],
      },
    );
    await made.world.call("ProviderConfigService.ActivateProviderConfig", { provider_config_id });
    const session = await open(made, { provider_config_id, return_url: `${made.app}/done` });
    const page = await browser.newPage();
    t.teardown(() => page.close());
    const blocked: string[] = [];
    page.on("console", (message) => blocked.push(message.text()));
    const shown = await page.goto(`${made.pages}/connect/${session.token}`);
    const policy = shown!.headers()["content-security-policy"] ?? "";
    t.regex(policy, /default-src 'none'/);
    t.notRegex(policy, /script-src/);
    await page.fill("input[name=api_key]", "the key");
    await page.click("button");
    await page.waitForURL(`${made.app}/**`);
    t.is(page.url(), `${made.app}/done?connect_session_id=${session.id}&status=connected`);
    t.deepEqual(blocked, []);

    made.consent = "no";
    const denied = await open(made, { return_url: `${made.app}/done` });
    await page.goto(`${made.pages}/connect/${denied.token}`);
    await page.waitForURL(`${made.app}/**`);
    t.is(page.url(), `${made.app}/done?connect_session_id=${denied.id}&status=failed`);
  },
);
