import { setTimeout as sleep } from "node:timers/promises";
import test from "ava";
import type { ListenHttp } from "../../gateway/http/server.ts";
import { listenNative } from "../../gateway/rpc/native.ts";
import { eventually } from "../support/eventually.ts";
import { RawConnection } from "./raw.ts";
import { servers, startFront } from "./support.ts";

const internal: ListenHttp = (options) => listenNative({ ...options, http1: true });

const body = '{"name":"a"}';
const echo = `POST /api/probe/echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const health = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";

for (const [name, listen] of Object.entries(servers)) {
  test(`${name}: HEAD has the headers of GET and no body, and the connection stays usable`, async (t) => {
    const server = await startFront(listen);
    const connection = new RawConnection(server.port);
    for (const path of ["/health", "/api/probe/looks/a", "/api/nothing"]) {
      connection.write(`HEAD ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      const head = await connection.answer({ head: true });
      t.truthy(head, path);
      t.true(Number(head!.headers.get("content-length")) > 0, path);
      connection.write(echo);
      t.is((await connection.answer())?.status, 200, path);
    }
    connection.destroy();
    await server.close();
  });

  test(`${name}: after an error whose request was read completely, the connection stays usable`, async (t) => {
    const server = await startFront(listen);
    const connection = new RawConnection(server.port);
    const bad = echo.replace(body, body.replace("a", "\\"));
    for (const request of [bad, "GET /api/nothing HTTP/1.1\r\nHost: localhost\r\n\r\n", bad]) {
      connection.write(request);
      const answer = await connection.answer();
      t.true(answer!.status >= 400 && answer!.status < 500);
      t.not(answer!.headers.get("connection"), "close");
      connection.write(echo);
      t.is((await connection.answer())?.status, 200);
    }
    connection.destroy();
    await server.close();
  });

  test(`${name}: after an error whose framing cannot be trusted, the connection is closed and a smuggled request is not answered`, async (t) => {
    const server = await startFront(listen);
    const smuggle = `POST /api/probe/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nContent-Length: ${health.length}\r\n\r\n${health}`;
    for (const bytes of [smuggle, `GET /api/pools HTTP/1.1\r\nHost: evil.test\r\n\r\n${health}`]) {
      const connection = new RawConnection(server.port).write(bytes);
      const answer = await connection.answer();
      t.true(answer === undefined || answer.status === 400, "closed at once, or refused with a status");
      t.true(await connection.ended());
      t.false(connection.rest.includes('"ok"'), connection.rest);
      connection.destroy();
    }
    await server.close();
  });

  test(`${name}: pipelined requests are answered in order`, async (t) => {
    const server = await startFront(listen);
    const connection = new RawConnection(server.port);
    connection.write(`${echo}${health}${echo}`);
    t.regex((await connection.answer())!.body, /"echo"/);
    t.is((await connection.answer())!.body, '{"status":"ok"}');
    t.regex((await connection.answer())!.body, /"echo"/);
    connection.destroy();
    await server.close();
  });

  test(`${name}: large headers are accepted in one packet or in several`, async (t) => {
    const server = await startFront(listen);
    const connection = new RawConnection(server.port);
    const token = `Authorization: Bearer ${"t".repeat(6_000)}\r\n`;
    connection.write(`GET /health HTTP/1.1\r\nHost: localhost\r\n${token}\r\n`);
    t.is((await connection.answer())?.status, 200);
    connection.write(`GET /health HTTP/1.1\r\nHost: localhost\r\n${token.slice(0, 5_000)}`);
    await sleep(50);
    connection.write(`${token.slice(5_000)}X-More: ${"m".repeat(4_000)}\r\n`);
    await sleep(50);
    connection.write("\r\n");
    t.is((await connection.answer())?.status, 200);
    connection.destroy();
    await server.close();
  });

  test(`${name}: a body over the limit gets 413, by its declared length or while it arrives`, async (t) => {
    const server = await startFront(listen);
    const head = "POST /api/probe/echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    const declared = new RawConnection(server.port).write(`${head}Content-Length: 4194305\r\n\r\n`);
    t.is((await declared.answer())?.status, 413);
    t.true(await declared.ended());
    const chunked = new RawConnection(server.port).write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
    const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
    for (let i = 0; i < 65 && !chunked.closed; i++) chunked.write(chunk);
    const answer = await chunked.answer();
    t.true(answer === undefined ? await chunked.ended() : answer.status === 413);
    declared.destroy();
    chunked.destroy();
    const largest = JSON.stringify({ name: "a", payload: "x".repeat(4 * 1_024 * 1_024 - 100) });
    const accepted = await fetch(`http://127.0.0.1:${server.port}/api/probe/echo`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: largest,
    });
    t.is(accepted.status, 200);
    await accepted.text();
    await server.close();
  });

  test(`${name}: a body that does not arrive gets 408 and the connection is closed`, async (t) => {
    const server = await startFront(listen, { bodyTimeoutMs: 200 });
    const slow = new RawConnection(server.port).write(echo.slice(0, -4));
    const answer = await slow.answer();
    t.is(answer?.status, 408);
    t.is(JSON.parse(answer!.body).errorCode, "REQUEST_TIMEOUT");
    t.true(await slow.ended());
    slow.destroy();
    await server.close();
  });

  test(`${name}: a body may pause for longer than ten seconds, and gets 408 only after its time limit`, async (t) => {
    const patient = await startFront(listen, { bodyTimeoutMs: 60_000 });
    const strict = await startFront(listen, { bodyTimeoutMs: 14_000 });
    t.teardown(() => Promise.all([patient.close(), strict.close()]).then(() => undefined));
    const late = new RawConnection(patient.port).write(echo.slice(0, -4));
    const silent = new RawConnection(strict.port).write(echo.slice(0, -4));
    t.is((await silent.answer({ waitMs: 60_000 }))?.status, 408);
    late.write(echo.slice(-4));
    t.is((await late.answer({ waitMs: 30_000 }))?.status, 200);
    silent.destroy();
    late.destroy();
  });

  test(`${name}: headers that do not arrive, or never end, close the connection`, async (t) => {
    const server = await startFront(listen);
    const silent = new RawConnection(server.port).write("GET /health HTTP/1.1\r\nHost: local");
    const dripping = new RawConnection(server.port).write(
      "GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
    );
    const drip = setInterval(() => dripping.closed || dripping.write("a"), 1_000);
    const broken = new RawConnection(server.port).write(
      "GET /health HTTP/1.1\r\nHost: localhost\r\nno colon\r\n\r\n",
    );
    const unnamed = new RawConnection(server.port).write("GET /health HTTP/1.1\r\n\r\n");
    for (const connection of [silent, dripping, broken, unnamed]) {
      t.true(await connection.ended(25_000));
      t.false(connection.rest.startsWith("HTTP/1.1 2"));
      connection.destroy();
    }
    clearInterval(drip);
    await server.close();
  });

  test(`${name}: Expect: 100-continue is answered before the body is sent`, async (t) => {
    const server = await startFront(listen);
    const [head, text] = echo.split("\r\n\r\n") as [string, string];
    const patient = new RawConnection(server.port).write(`${head}\r\nExpect: 100-continue\r\n\r\n`);
    await eventually("an answer", () => patient.rest !== "" || patient.closed || undefined);
    t.true(patient.rest.startsWith("HTTP/1.1 100"), patient.rest);
    patient.write(text);
    t.is((await patient.answer())?.status, 200);
    patient.destroy();
    await server.close();
  });

  test(`${name}: a client that leaves in the middle of its body or of the wait leaves no state behind`, async (t) => {
    const server = await startFront(listen);
    const half = new RawConnection(server.port).write(echo.slice(0, -4));
    const wait = '{"sleep_ms":10000}';
    const waiting = new RawConnection(server.port).write(
      `POST /api/probe/wait HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${wait.length}\r\n\r\n${wait}`,
    );
    await eventually("both have arrived", () => server.pending() === 2 || undefined);
    half.destroy();
    waiting.destroy();
    await eventually("both are forgotten", () => server.pending() === 0 || undefined);
    const next = new RawConnection(server.port).write(echo);
    t.is((await next.answer())?.status, 200);
    next.destroy();
    await server.close();
  });

  test(`${name}: 204 and 304 have no body and no length that promises one`, async (t) => {
    const server = await startFront(listen, { allowedOrigins: ["https://app.test"] });
    const connection = new RawConnection(server.port).write(
      "OPTIONS /api/pools HTTP/1.1\r\nHost: localhost\r\nOrigin: https://app.test\r\nAccess-Control-Request-Method: POST\r\n\r\n",
    );
    const preflight = await connection.answer();
    t.is(preflight?.status, 204);
    t.false(preflight!.headers.has("content-length"));
    connection.write(echo);
    t.is((await connection.answer())?.status, 200);
    connection.destroy();
    await server.close();
  });

  test(`${name}: only listed origins are allowed, never null, and answers vary by origin`, async (t) => {
    const server = await startFront(listen, { allowedOrigins: ["https://app.test"] });
    const ask = (origin: string, method = "GET", more: Record<string, string> = {}) =>
      fetch(`http://127.0.0.1:${server.port}/health`, { method, headers: { origin, ...more } });
    const listed = await ask("https://app.test");
    t.is(listed.headers.get("access-control-allow-origin"), "https://app.test");
    t.is(listed.headers.get("vary"), "Origin");
    for (const origin of ["https://evil.test", "null", "https://app.test.evil.test", "http://app.test"]) {
      const answer = await ask(origin);
      t.is(answer.headers.get("access-control-allow-origin"), null, origin);
      t.is(answer.headers.get("vary"), "Origin");
      const preflight = await ask(origin, "OPTIONS", { "access-control-request-method": "POST" });
      t.is(preflight.status, 403, origin);
    }
    await server.close();
  });
}

for (const [name, listen] of Object.entries({ ...servers, internal })) {
  // uWebSockets.js closes such a connection after ten seconds, and this cannot be configured.
  test(`${name}: a connection without a request stays open for the idle time, and is closed after it`, async (t) => {
    const patient = await startFront(listen, { idleTimeoutMs: 60_000 });
    const strict = await startFront(listen, { idleTimeoutMs: 1_000 });
    t.teardown(() => Promise.all([patient.close(), strict.close()]).then(() => undefined));
    const kept = new RawConnection(patient.port).write(health);
    const short = new RawConnection(strict.port).write(health);
    for (const connection of [kept, short]) t.is((await connection.answer({ waitMs: 30_000 }))?.status, 200);
    t.true(await short.ended(30_000));
    t.is(await kept.ended(15_000), name === "uws");
    if (name !== "uws") t.is((await kept.write(health).answer({ waitMs: 30_000 }))?.status, 200);
    kept.destroy();
    short.destroy();
  });
}
