import test from "ava";
import { launchChromium } from "../support/chromium.ts";
import { runCommand } from "../support/cli.ts";
import { eventually } from "../support/eventually.ts";
import { needing } from "../support/needing.ts";
import { startDev } from "./support.ts";

interface Report {
  readonly report_id: string;
  readonly verdict: string;
}

interface Claimed {
  readonly items: readonly [{ readonly item: { readonly id: string }; readonly lease_token: string }];
}

async function start(t: Parameters<typeof startDev>[0]) {
  const service = await startDev(t, ["--set", "server.workers=4"]);
  const url = `http://127.0.0.1:${service.ports.http}`;
  const send = async (path: string, body: object) => {
    const response = await fetch(url + path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return ((await response.json()) as { data: { id: string } }).data;
  };
  /** Each over a connection of its own, so that threads share them. */
  const report = async (query = "") => {
    const response = await fetch(`${url}/api/operational-health/report${query}`, {
      headers: { connection: "close" },
    });
    return ((await response.json()) as { data: Report }).data;
  };
  // What a command says wins over what the caller works with otherwise.
  const around = { SWITCHYARD_URL: url, SWITCHYARD_ENVIRONMENT: "staging" };
  const command = (...args: string[]) =>
    runCommand(["report", "health", "--environment", "production", ...args], around);
  return { service, url, send, report, command };
}

test.serial(
  "four threads and the command line have one report in a slot; exit codes are verdicts",
  async (t) => {
    const { service, send, report, command } = await start(t);
    t.is((await command("--environment", "staging", "--period", "5m")).code, 12, "nothing is there");
    const { id } = await send("/api/pools", { name: "p" });
    await eventually("the pool is heard of", async () => {
      return (await report()).verdict === "healthy" ? true : undefined;
    });
    const ids = await eventually("all ask within a slot", async () => {
      const asked = await Promise.all(Array.from({ length: 24 }, () => report()));
      const said = await command("--period", "1h", "-o", "json");
      t.is(said.code, 0);
      const found = new Set([...asked, JSON.parse(said.out) as Report].map(({ report_id }) => report_id));
      return found.size === 1 ? found : undefined;
    });
    t.is(ids.size, 1);
    const items = Array.from({ length: 1_000 }, () => ({ key: "k", payload: { note: "planted-secret" } }));
    await send(`/api/queues/${id}/items:batch`, { items });
    await eventually("the backlog is told", async () => {
      return (await report()).verdict === "unhealthy" ? true : undefined;
    });
    const { id: recipient_id } = await send(`/api/pools/${id}/recipients`, { name: "planted-worker" });
    const claimed = await send(`/api/queues/${id}/items:claim`, { recipient_id, max_items: 1 });
    const [{ item, lease_token }] = (claimed as unknown as Claimed).items;
    const failed = { queue_item_id: item.id, lease_token, outcome: "fail", error: "planted-error" };
    await send(`/api/queues/${id}/items:settle`, { settlements: [failed] });
    const told = await report("?period=35m");
    t.true(told.report_id.startsWith("ohr_"));
    t.false(JSON.stringify(told).includes("planted"));
    const said = await command();
    t.is(said.code, 11);
    t.regex(said.out, /Bring the backlog down/);
    t.false(said.said.includes("planted"));
    t.is((await command("--environment", "nowhere")).code, 1);
    t.is((await command("--period", "90s")).code, 1);
    service.signal("SIGTERM");
    t.is((await service.ended).code, 0);
  },
);

needing(test.serial, "chromium")(
  "in a real browser the page shows the report that REST has, leads to its runbook, and stores nothing",
  async (t) => {
    const { service, url, send, report } = await start(t);
    const { id } = await send("/api/pools", { name: "p" });
    await send(`/api/queues/${id}/items:batch`, { items: Array.from({ length: 150 }, () => ({ key: "k" })) });
    await eventually("the backlog is told", async () => {
      return (await report()).verdict === "degraded" ? true : undefined;
    });
    const browser = await launchChromium();
    t.teardown(() => browser.close());
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    const foreign: string[] = [];
    page.on("request", (sent) => {
      if (!sent.url().startsWith(url)) foreign.push(sent.url());
    });
    await page.goto(`${url}/workspaces/00000000000000000000000DEV/health`);
    await page.locator(".verdict", { hasText: "Degraded" }).waitFor();
    const shown = await page.locator("#verdict").textContent();
    const known = await eventually("page and REST are of one slot", async () => {
      const { report_id } = await report();
      await page.locator("button").click();
      const text = await page.locator("#verdict").textContent();
      return text!.includes(report_id) ? report_id : undefined;
    });
    t.true(shown!.includes("production") && known.startsWith("ohr_"));
    await page.locator("#key").fill("secret-key");
    const asked = page.waitForRequest((sent) => sent.headers()["x-api-key"] === "secret-key");
    await page.locator("button").click();
    await asked;
    t.is(await page.locator("#key").inputValue(), "");
    const stored = "localStorage.length + sessionStorage.length + document.cookie.length";
    t.is(await page.evaluate<number>(stored), 0);
    await page.reload();
    await page.locator("#steps a").click();
    t.regex((await page.locator("h1").textContent())!, /Bring the backlog down/);
    t.deepEqual(foreign, []);
    t.deepEqual(
      complaints.filter((text) => !text.includes("401")),
      [],
    );
    service.signal("SIGTERM");
    await service.ended;
  },
);
