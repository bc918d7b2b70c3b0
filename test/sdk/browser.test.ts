/** The package as a page loads it: its modules as they are, from another origin than the service's, which is no secure context. */
import { once } from "node:events";
import { readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import test, { type ExecutionContext } from "ava";
import type { Browser, Page, Request } from "playwright-core";
import { Switchyard } from "#sdk";
import { Server } from "../crash/server.ts";
import { launchChromium } from "../support/chromium.ts";
import { installClient } from "../support/client-package.ts";
import { eventually } from "../support/eventually.ts";
import { casesNeeding } from "../support/needing.ts";
import { startProxy } from "../support/proxy.ts";

const html = `<!doctype html><title>a page</title>
<script type="importmap">{"imports": {"@switchyard/client": "/client/index.js"}}</script>`;
const run = "01J9ZC5T8N4W0QK7V3M2B6XH1D";
let browser: Browser;
let modules: string;
let server: Server;
let sy: Switchyard;
/** Where the page comes from, and the service as the page sees it. */
let origin: string;
let service: string;
let proxy: Awaited<ReturnType<typeof startProxy>>;

casesNeeding("the TypeScript client in Chromium", ["chromium"], () => {
  test.before(async (t) => {
    t.timeout(480_000);
    const folder = await installClient();
    modules = path.join(folder, "node_modules/@switchyard/client/dist");
    const pages = createServer(async (request, response) => {
      const file = request.url!.startsWith("/client/") && path.join(modules, request.url!.slice(8));
      const type = file ? "text/javascript" : "text/html";
      response.writeHead(200, { "content-type": type }).end(file ? await readFile(file) : html);
    });
    await once(pages.listen(0, "127.0.0.1"), "listening");
    origin = `http://page.test:${(pages.address() as AddressInfo).port}`;
    server = new Server([`cors.allowed_origins=${origin}`]);
    await server.start();
    proxy = await startProxy({ host: "127.0.0.1", port: server.ports.http! });
    service = `http://127.0.0.1:${proxy.port}`;
    sy = new Switchyard({ url: server.url });
    browser = await launchChromium(["page.test"]);
    close = async () => {
      await browser.close();
      pages.close();
      await proxy.close();
      await server.remove();
      await rm(folder, { recursive: true });
    };
  });
  let close = async () => {};
  test.after.always(() => close());

  /** A page that has loaded the client, and what it asked for. */
  async function open(t: ExecutionContext): Promise<{ page: Page; asked: readonly Request[] }> {
    const page = await browser.newPage();
    t.teardown(() => page.close());
    const asked: Request[] = [];
    page.on("request", (request) => asked.push(request));
    page.on("pageerror", (error) => t.fail(error.message));
    await page.goto(origin);
    return { page, asked };
  }

  test("a page loads the modules of the package and nothing else; it has no credential and no process", async (t) => {
    const { page, asked } = await open(t);
    const names = await page.evaluate(async () => Object.keys(await import("@switchyard/client")));
    t.true(names.includes("Switchyard"));
    t.false(await page.evaluate(() => Reflect.get(globalThis, "isSecureContext")), "the harder case");
    const loaded = asked.map((request) => request.url()).filter((url) => url !== `${origin}/`);
    const files = (await readdir(modules, { recursive: true })).filter((file) => file.endsWith(".js"));
    t.true(loaded.every((url) => url.startsWith(`${origin}/client/`)));
    for (const url of loaded) t.true(files.includes(url.slice(`${origin}/client/`.length)), url);
  });

  test("what the modules import by name is `ws` alone, and only where the platform has no WebSocket", async (t) => {
    const named: string[] = [];
    for (const file of await readdir(modules, { recursive: true })) {
      if (!file.endsWith(".js")) continue;
      const code = await readFile(path.join(modules, file), "utf8");
      for (const [, name] of code.matchAll(/^(?:import|export)\b(?:[^"';]*\bfrom)? *["']([^"']+)["']/gm))
        if (!name!.startsWith(".")) named.push(`${file}: ${name}`);
      for (const [, name] of code.matchAll(/import\(["']([^"']+)["']\)/g))
        if (!name!.startsWith(".")) named.push(`${file}: import ${name}`);
    }
    t.deepEqual(named, ["socket.js: import ws"]);
  });

  test("typed calls, pages of a list, and errors with their fields", async (t) => {
    const { page } = await open(t);
    const seen = await page.evaluate(async (url) => {
      const { Switchyard, SwitchyardError } = await import("@switchyard/client");
      const sy = new Switchyard({ url, environment: "staging", apiKey: "none-is-looked-at-here" });
      const { id } = await sy.pools.create({ name: "from-a-page" });
      const changed = await sy.pools.update({ pool_id: id, name: "changed-by-a-page" });
      for (let index = 0; index < 5; index++) await sy.items.enqueue({ pool_id: id, payload: { index } });
      const payloads: unknown[] = [];
      for await (const item of sy.items.list({ pool_id: id, limit: 2 })) payloads.push(item.payload);
      const errorOf = async (call: Promise<unknown>) => {
        const error = await call.catch((thrown) => thrown);
        if (!(error instanceof SwitchyardError)) throw new Error(`no error of ours: ${error}`);
        const { code, status, fields, requestId, retryable } = error;
        return {
          code,
          status,
          fields: fields.map(({ field }) => field),
          isNamed: requestId !== undefined,
          retryable,
        };
      };
      return {
        name: changed.name,
        environment: changed.environment,
        payloads,
        missing: await errorOf(sy.pools.get({ pool_id: "01J9ZC5T8N4W0QK7V3M2B6XH1D" })),
        wrong: await errorOf(sy.pools.create({ name: "" })),
        unreachable: await errorOf(
          new Switchyard({ url: "http://nowhere.test", retries: 0 }).capabilities.posture(),
        ),
      };
    }, server.url);
    t.deepEqual(seen, {
      name: "changed-by-a-page",
      environment: "staging",
      payloads: [0, 1, 2, 3, 4].map((index) => ({ index })),
      missing: { code: "NOT_FOUND", status: 404, fields: [], isNamed: true, retryable: false },
      wrong: { code: "INVALID_ARGUMENT", status: 400, fields: ["name"], isNamed: true, retryable: false },
      unreachable: { code: "UNAVAILABLE", status: 0, fields: [], isNamed: false, retryable: true },
    });
  });

  test("a worker completes items over the browser's own WebSocket, also after a cut, and stops with nothing leased", async (t) => {
    const { page, asked } = await open(t);
    const sockets: string[] = [];
    page.on("websocket", (socket) => sockets.push(socket.url()));
    const { id: pool } = await sy.pools.create({
      name: "worked-on-by-a-page",
      config: { lease_seconds: 10 },
    });
    const count = 40;
    const items = Array.from({ length: count }, (_, index) => ({ payload: { index } }));
    await sy.items.enqueueBatch({ pool_id: pool, items });
    const working = page.evaluate(
      async ({ url, pool, count }) => {
        const { Switchyard } = await import("@switchyard/client");
        const handled = new Set<string>();
        let finish = () => {};
        const all = new Promise<void>((resolve) => {
          finish = resolve;
        });
        const worker = new Switchyard({ url }).worker(
          pool,
          async (item, { signal, progress }) => {
            progress({ percent: 50 });
            await new Promise((resolve) => setTimeout(resolve, 50));
            if (signal.aborted) return undefined;
            handled.add(item.id);
            if (handled.size === count) finish();
            return { from: "a page" };
          },
          { concurrency: 2 },
        );
        await all;
        await worker.stop();
        return handled.size;
      },
      { url: service, pool, count },
    );
    const completed = () => sy.items.list({ pool_id: pool, states: ["completed"], limit: 1_000 }).page();
    await eventually("some are completed", async () => (await completed()).data.length > 3 || undefined);
    proxy.cutClients();
    t.is(await working, count);
    const { data } = await completed();
    t.is(data.length, count);
    for (const { result, completed_by } of data) {
      t.deepEqual(result, { from: "a page" });
      t.is(completed_by, data[0]!.completed_by);
    }
    const [recipient] = (await sy.recipients.list({ pool_id: pool }).page()).data;
    t.is(recipient?.name, "browser");
    t.deepEqual(
      new Set(sockets),
      new Set([`${service.replace("http", "ws")}/api/streams/QueueService/Work`]),
    );
    t.true(sockets.length >= 2, "it was opened again");
    t.false(asked.some((request) => request.url().includes("/client/ws")));
  });

  test("a worker runs in a Worker of the browser, whose timers go on where nobody sees the page", async (t) => {
    const { page } = await open(t);
    const state = await page.evaluate(
      ({ client, url }) => {
        const code = `
          import { Switchyard } from "${client}";
          const sy = new Switchyard({ url: "${url}" });
          const { id: pool_id } = await sy.pools.create({ name: "worked-on-by-a-worker" });
          const worker = sy.worker(pool_id, () => {});
          const { state } = await sy.enqueueAndWait({ pool_id });
          await worker.stop();
          postMessage(state);`;
        const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
        return new Promise((resolve, reject) => {
          const Worker = Reflect.get(globalThis, "Worker");
          const worker = new Worker(address, { type: "module" });
          worker.onmessage = ({ data }: { readonly data: unknown }) => resolve(data);
          worker.onerror = ({ message }: { readonly message: string }) => reject(new Error(message));
        });
      },
      { client: `${origin}/client/index.js`, url: server.url },
    );
    t.is(state, "completed");
  });

  test("a consumer gets every record of a stream once and in order over lost connections, and has acknowledged them", async (t) => {
    const { page, asked } = await open(t);
    const { id: stream } = await sy.streams.create({
      run_id: run,
      name: "a-page",
      content_classes: ["json"],
    });
    const append = (count: number) =>
      sy.streams.append({
        run_id: run,
        stream_id: stream,
        records: Array.from({ length: count }, () => ({ payload: 1 })),
      });
    await append(50);
    await page.evaluate(
      async ({ url, run, stream }) => {
        const { Switchyard } = await import("@switchyard/client");
        const seen: number[] = [];
        const handle = async ({ sequence }: { readonly sequence: number }) => {
          await new Promise((resolve) => setTimeout(resolve, 2));
          seen.push(sequence);
        };
        const done = new Switchyard({ url }).consume(run, stream, { consumer: "page", batch: 10 }, handle);
        Object.assign(globalThis, { seen, done });
      },
      { url: service, run, stream },
    );
    const seen = () => page.evaluate(() => Reflect.get(globalThis, "seen") as readonly number[]);
    for (let cut = 0; cut < 3; cut++) {
      const before = (await seen()).length;
      await eventually("some more are handled", async () => (await seen()).length > before + 10 || undefined);
      proxy.cutClients();
      await append(50);
    }
    await sy.streams.close({ run_id: run, stream_id: stream });
    await page.evaluate(() => Reflect.get(globalThis, "done") as Promise<void>);
    t.deepEqual(
      await seen(),
      Array.from({ length: 200 }, (_, index) => index + 1),
    );
    const [consumer] = (await sy.streams.listConsumers({ run_id: run, stream_id: stream }).page()).data;
    t.is(consumer?.acknowledged_sequence, 200);
    const subscribed = asked.filter((request) => request.url().includes("/subscribe"));
    t.true(subscribed.some((request) => Number(request.headers()["last-event-id"]) > 0));
  });

  test("watching tells what changes, and a page that has seen enough closes its connection", async (t) => {
    const { page } = await open(t);
    const { id: pool } = await sy.pools.create({ name: "watched-by-a-page" });
    const closed: string[] = [];
    page.on("requestfailed", (request) => {
      if (request.url().includes("/api/live/pools")) closed.push(request.failure()!.errorText);
    });
    const watching = page.evaluate(
      async ({ url, pool }) => {
        const { Switchyard } = await import("@switchyard/client");
        const sy = new Switchyard({ url });
        const depths: unknown[] = [];
        for await (const { pools } of sy.watch([pool], { interval_ms: 500 }))
          for (const { queue } of pools?.pools ?? []) {
            depths.push(queue?.depth);
            if (depths.length === 1) await sy.items.enqueue({ pool_id: pool });
            if (queue?.depth === 1) return depths;
          }
        return depths;
      },
      { url: server.url, pool },
    );
    t.deepEqual((await watching).at(-1), 1);
    await eventually("the connection is closed", () => closed.length > 0 || undefined);
    t.deepEqual(closed, ["net::ERR_ABORTED"]);
  });
});
