import { createServer } from "node:http";
import { connect } from "node:http2";
import type { AddressInfo } from "node:net";
import test, { type ExecutionContext } from "ava";
import { type RunningService, startDev } from "../process/support.ts";
import { launchChromium } from "../support/chromium.ts";
import { needing } from "../support/needing.ts";
import { RawConnection } from "./raw.ts";

const pool = '{"name":"p"}';
const rest = "/api/pools";
const rpc = "/service.api.PoolService/CreatePool";
const json = "Content-Type: application/json";
const foreign = "Origin: https://evil.test";

/** Path, header lines, body and expected status. HOST is replaced by the address of the listener. */
const table: Readonly<Record<string, readonly [string, readonly string[], string, number]>> = {
  "REST from a client that is no browser": [rest, [json], pool, 201],
  "REST from a page of this service": [rest, [json, "Origin: http://HOST"], pool, 201],
  "REST from such a page behind a proxy with TLS": [rest, [json, "Origin: https://HOST"], pool, 201],
  "REST from a foreign page": [rest, [json, foreign], pool, 403],
  "REST from a page at another port": [rest, [json, "Origin: http://127.0.0.1:1"], pool, 403],
  "REST from a page without an origin of its own": [rest, [json, "Origin: null"], pool, 403],
  "REST from a page that hides its origin": [rest, [json, "Sec-Fetch-Site: cross-site"], pool, 403],
  "REST from another host of the same site": [rest, [json, "Sec-Fetch-Site: same-site"], pool, 403],
  "REST from the address line": [rest, [json, "Sec-Fetch-Site: none"], pool, 201],
  "REST without a type": [rest, [], pool, 415],
  "REST as text": [rest, ["Content-Type: text/plain"], pool, 415],
  "REST as a form": [rest, ["Content-Type: application/x-www-form-urlencoded"], pool, 415],
  "REST with a type that hides another": [rest, ["Content-Type: text/plain; application/json"], pool, 415],
  "an action without a body or a type": ["/api/queues/01ARZ3NDEKTSV4RRFFQ69G5FAV/pause", [], "", 404],
  "an action without a body, as text": [
    "/api/queues/01ARZ3NDEKTSV4RRFFQ69G5FAV/pause",
    ["Content-Type: text/plain"],
    "",
    415,
  ],
  "an action without a body from a foreign page": [
    "/api/queues/01ARZ3NDEKTSV4RRFFQ69G5FAV/pause",
    [foreign],
    "",
    403,
  ],
  "Connect from a client that is no browser": [rpc, [json], pool, 200],
  "Connect from a page of this service": [rpc, [json, "Origin: http://HOST"], pool, 200],
  "Connect from a foreign page": [rpc, [json, foreign], pool, 403],
  "Connect without a type": [rpc, [], pool, 415],
  "Connect as text": [rpc, ["Content-Type: text/plain"], pool, 415],
  "gRPC-Web from a foreign page": [rpc, ["Content-Type: application/grpc-web+proto", foreign], "", 403],
};

for (const server of ["uws", "node"])
  test.serial(
    `${server}: only pages of this service may change anything, and only with a content type that needs a CORS preflight`,
    async (t) => {
      const service = await startDev(t, ["--ephemeral", "--set", `server.http_server=${server}`]);
      for (const name of ["http", "internal"] as const)
        for (const [what, [path, lines, body, status]] of Object.entries(table))
          t.is(await post(service.ports[name], path, lines, body), status, `${name}: ${what}`);
    },
  );

test.serial("a listener of HTTP/2 also refuses a change from a foreign page", async (t) => {
  const service = await startDev(t, ["--ephemeral"]);
  for (const name of ["native", "internal"] as const) {
    const session = connect(`http://127.0.0.1:${service.ports[name]}`);
    for (const path of [rest, rpc]) {
      const headers = { ":method": "POST", ":path": path, "content-type": "application/json" };
      const stream = session.request({ ...headers, origin: "https://evil.test" }).end(pool);
      const status = await new Promise((resolve) => {
        stream.once("response", (answer) => resolve(answer[":status"]));
      });
      t.is(status, 403, `${name} ${path}`);
      stream.close();
    }
    session.destroy();
  }
});

test.serial(
  "a page that is allowed by cors.allowed_origins may change something, another may not",
  async (t) => {
    const service = await startDev(t, ["--ephemeral", "--set", "cors.allowed_origins=https://app.test"]);
    t.is(await post(service.ports.http, rest, [json, "Origin: https://app.test"], pool), 201);
    t.is(await post(service.ports.http, rest, [json, foreign], pool), 403);
  },
);

needing(test.serial, "chromium")(
  "in a real browser no page of another site makes a pool, and a page of this service does",
  async (t) => {
    const service = await startDev(t, ["--ephemeral"]);
    const attacker = await servePage(t);
    const launched = await launchChromium();
    t.teardown(() => launched.close());
    for (const host of ["127.0.0.1", "localhost", "0.0.0.0"]) {
      const url = `http://${host}:${service.ports.http}`;
      const page = await launched.newPage();
      await page.goto(attacker);
      const sent = await page.evaluate<number>(attack(url));
      t.true(sent > 0, "the browser lets the page send");
      const form = page.waitForResponse((answer) => answer.request().method() === "POST");
      await page.evaluate(submitForm(url));
      t.true([403, 415].includes((await form).status()), "a form");
    }
    t.deepEqual(await pools(service), []);
    const page = await launched.newPage();
    await page.goto(`http://127.0.0.1:${service.ports.http}/docs/errors/NOT_FOUND`);
    t.is(await page.evaluate<number>(createPool), 201);
    t.is((await pools(service)).length, 1);
  },
);

async function post(port: number, path: string, lines: readonly string[], body: string): Promise<number> {
  const host = `127.0.0.1:${port}`;
  const head = [`POST ${path} HTTP/1.1`, `Host: ${host}`, ...lines, `Content-Length: ${body.length}`];
  const connection = new RawConnection(port).write(
    `${head.join("\r\n").replaceAll("HOST", host)}\r\n\r\n${body}`,
  );
  const answer = await connection.answer({ waitMs: 30_000 });
  connection.destroy();
  return answer?.status ?? 0;
}

/**
 * A page of another site: `localhost` is another site than 127.0.0.1, and another origin than localhost at our port.
 */
async function servePage(t: ExecutionContext): Promise<string> {
  const server = createServer((_, response) => {
    response.setHeader("content-type", "text/html").end("<!doctype html><title>another site</title>");
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://localhost:${(server.address() as AddressInfo).port}/`;
}

async function pools(service: RunningService): Promise<readonly unknown[]> {
  const answer = await fetch(`http://127.0.0.1:${service.ports.http}/api/pools`);
  return ((await answer.json()) as { data: unknown[] }).data;
}

/**
 * Runs in the browser: everything that a page may send without a preflight. Returns how many requests the browser sent.
 */
const attack = (url: string) => `(async () => {
  let sent = 0;
  for (const path of ["${rest}", "${rpc}"])
    for (const body of [new Blob(['${pool}']), new Blob(['${pool}'], { type: "text/plain" }), '${pool}']) {
      const answer = await fetch("${url}" + path, { method: "POST", mode: "no-cors", body }).catch(() => undefined);
      if (answer !== undefined) sent++;
      if (navigator.sendBeacon("${url}" + path, body)) sent++;
    }
  return sent;
})()`;

/** Runs in the browser: a form whose text is JSON. */
const submitForm = (url: string) => `
  document.body.innerHTML = '<form method="post" enctype="text/plain" action="${url}${rest}"><input></form>';
  document.querySelector("input").name = '{"name":"p","description":"';
  document.querySelector("input").value = '"}';
  document.querySelector("form").submit();`;

/** Runs in the browser. */
const createPool = `fetch("${rest}", { method: "POST", headers: { "content-type": "application/json" }, body: '${pool}' })
  .then((answer) => answer.status)`;
