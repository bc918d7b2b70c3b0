import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import test from "ava";
import { errorCodes } from "#base";
import { launchChromium } from "../../test/support/chromium.ts";
import { modules } from "../../test/support/module-parts.ts";
import { needing } from "../../test/support/needing.ts";
import { loadConfig } from "../config/index.ts";
import { loadContract } from "../contract/index.ts";
import type { Page } from "../http/server.ts";
import { discoveryPages } from "./index.ts";
import { operationalPaths, routePaths, socketPaths } from "./openapi/operations.ts";

const { config } = loadConfig({ profile: "dev", environment: {}, set: [] });
const contract = loadContract();
const pages = discoveryPages({
  contract,
  config,
  plane: "external",
  apiVersion: "2024-01-01",
  modules,
});

test("every error code has a page that says what it means", async (t) => {
  for (const code of Object.keys(errorCodes)) {
    const { body } = await pages.get(`/docs/errors/${code}`)!(request());
    t.regex(String(body), new RegExp(`<code>${code}</code>`));
  }
});

test("the reference's script is the same compressed and not", async (t) => {
  const [path, handler] = [...pages].find(([name]) => name.includes("rapidoc"))!;
  t.true(String((await pages.get("/docs")!(request())).body).includes(path));
  const plain = await handler(request());
  const refused = await handler(request({ "accept-encoding": "gzip;q=0" }));
  t.false([...refused.headers].some(([name]) => name === "content-encoding"));
  const packed = await handler(request({ "accept-encoding": "br, gzip" }));
  const { gunzipSync } = await import("node:zlib");
  t.deepEqual(gunzipSync(packed.body as Uint8Array), Buffer.from(plain.body as Uint8Array));
  t.is((await handler(request())).body, plain.body, "unpacked once, not for every request");
  for (const { headers } of [plain, packed]) {
    t.deepEqual(
      [...headers].filter(([name]) => name === "vary"),
      [["vary", "accept-encoding"]],
      "a cache keeps both",
    );
  }
});

needing(test, "chromium")(
  "in a real browser the reference shows every operation, and asks no other server for anything",
  async (t) => {
    const server = await serve();
    t.teardown(server.close);
    const launched = await launchChromium();
    t.teardown(() => launched.close());
    const page = await launched.newPage({ viewport: { width: 1400, height: 900 } });
    // Drawing all operations takes long where the processor is shared.
    page.setDefaultTimeout(240_000);
    const foreign: string[] = [];
    const complaints: string[] = [];
    page.on("request", (sent) => {
      if (!sent.url().startsWith(server.url) && !sent.url().startsWith("data:")) foreign.push(sent.url());
    });
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(String(error)));
    await page.goto(`${server.url}/docs`);
    await page.getByText("/api/pools/{pool_id}", { exact: true }).first().waitFor();
    t.is(await page.title(), "Switchyard API reference");
    const bindings = contract.methods
      .filter(({ governance }) => !governance.internalOnly)
      .flatMap(({ rest }) => rest);
    const operational = Object.keys(operationalPaths()).length;
    const routes = modules.flatMap((module) => module.routes ?? []);
    const plain = Object.values({ ...routePaths(routes), ...socketPaths() }).flatMap(Object.keys).length;
    t.is(await page.locator(".nav-bar-path").count(), bindings.length + operational + plain);
    await page.locator(`[data-content-id="post-/api/pools"]`).click();
    await page.getByText("Creates a pool in the environment that X-Environment names").first().waitFor();
    t.regex(await page.locator("textarea").first().inputValue(), /"name": "support"/);
    for (const [label, call] of [
      ["curl", "curl -sS -X POST"],
      ["service", "service pools create support"],
      ["TypeScript", 'sy.pools.create({ name: "support"'],
      ["Python", 'sy.pools.create(name="support"'],
    ] as const) {
      await page.getByRole("button", { name: label, exact: true }).first().click();
      const shown = await page.locator(".tab-content:visible pre").first().textContent();
      t.true(shown!.includes(call), label);
    }
    t.deepEqual(foreign, []);
    t.deepEqual(complaints, []);
  },
);

function request(headers: Record<string, string> = {}): Parameters<Page>[0] {
  return {
    method: "GET",
    headers: { get: (name: string) => headers[name] },
  } as unknown as Parameters<Page>[0];
}

/** The pages over a bare server: what the gateway's own servers do with them is their test. */
async function serve(): Promise<{ url: string; close(): void }> {
  const server: Server = createServer((incoming, outgoing) => {
    const handler = pages.get(incoming.url ?? "");
    void (async () => {
      const answer =
        handler === undefined
          ? undefined
          : await handler(request(incoming.headers as Record<string, string>));
      for (const [name, value] of answer?.headers ?? []) outgoing.setHeader(name, value);
      outgoing.statusCode = answer?.status ?? 404;
      outgoing.end(answer?.body as string | Uint8Array | undefined);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
