/** What a server, a proxy or a caller may do wrong, and the client must not make worse. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import test, { type ExecutionContext } from "ava";
import { WebSocketServer } from "ws";
import { Switchyard, SwitchyardError } from "#sdk";
import { eventually } from "../support/eventually.ts";

const secret = "swk_the-secret";

async function answering(t: ExecutionContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function speaking(t: ExecutionContext, say: (send: (text: string) => void) => void): Promise<string> {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  server.on("connection", (socket) => socket.once("message", () => say((text) => void socket.send(text))));
  await new Promise((resolve) => server.once("listening", resolve));
  t.teardown(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const thrownBy = (t: ExecutionContext, call: Promise<unknown>) =>
  t.throwsAsync(call, { instanceOf: SwitchyardError });

test("given a redirect, when a call has a key, then it is not followed and the error names the origin", async (t) => {
  const asked: string[] = [];
  const other = await answering(t, (request, response) => {
    asked.push(request.url!);
    response.writeHead(200, { "content-type": "application/json" }).end('{"data": {}}');
  });
  for (const status of [301, 302, 303, 307, 308]) {
    const url = await answering(t, (request, response) =>
      response.writeHead(status, { location: `${other}${request.url}?token=hidden` }).end(),
    );
    const sy = new Switchyard({ url, apiKey: secret });
    const error = (await thrownBy(t, sy.pools.create({ name: "p" })))!;
    t.is(error.reason, "REDIRECTED");
    t.true(error.detail.includes(other) && !error.message.includes("hidden"), error.message);
    const events = sy.streams.subscribe({ run_id: "r", stream_id: "s" })[Symbol.asyncIterator]();
    t.is((await thrownBy(t, events.next()))!.reason, "REDIRECTED");
  }
  t.deepEqual(asked, []);
});

test("given a key that no header may have, then it is refused and not shown; blanks around one are not sent", async (t) => {
  for (const wrong of [`${secret}\nx`, `${secret}\0`, `${secret}…`]) {
    const error = t.throws(() => new Switchyard({ apiKey: wrong }), { instanceOf: SwitchyardError })!;
    t.false(error.message.includes(secret));
    const sy = new Switchyard({ url: "http://127.0.0.1:1", token: () => wrong });
    const refused = (await thrownBy(t, sy.whoami()))!;
    t.is(refused.code, "UNAUTHENTICATED");
    t.false(`${refused.stack}${refused.cause}`.includes(secret));
  }
  process.env.SWITCHYARD_API_KEY = `${secret}…`;
  const call = new Switchyard({ url: "http://127.0.0.1:1" }).whoami();
  delete process.env.SWITCHYARD_API_KEY;
  t.is((await thrownBy(t, call))!.code, "INVALID_ARGUMENT", "a repeat would not mend it");
  const keys: unknown[] = [];
  const url = await answering(t, (request, response) => {
    keys.push(request.headers["x-api-key"]);
    response.writeHead(200, { "content-type": "application/json" }).end('{"data": {}}');
  });
  await new Switchyard({ url, apiKey: ` ${secret}\r\n` }).whoami();
  t.deepEqual(keys, [secret]);
});

test("given a header of the call in capitals, then it takes the place of the client's own", async (t) => {
  const seen: unknown[] = [];
  const url = await answering(t, ({ headers }, response) => {
    seen.push([headers["idempotency-key"], headers["x-tenant-id"]]);
    response.writeHead(200, { "content-type": "application/json" }).end('{"data": {}}');
  });
  const headers = { "Idempotency-Key": "own", "X-Tenant-ID": "other" };
  await new Switchyard({ url, tenant: "usual" }).pools.create({ name: "one" }, { headers });
  t.deepEqual(seen, [["own", "other"]]);
});

test("given a token function that never answers, when the time of the call is over, then it is TIMEOUT", async (t) => {
  const sy = new Switchyard({ url: "http://127.0.0.1:1", token: () => new Promise(() => {}), retries: 0 });
  const alive = setInterval(() => {}, 1_000);
  t.is((await thrownBy(t, sy.whoami({}, { timeoutMs: 50 })))!.code, "TIMEOUT");
  clearInterval(alive);
});

test("given a stream whose credential ends, then it goes on with the next one; one that is refused is not asked again", async (t) => {
  const seen: string[] = [];
  const said = (code: string) =>
    `event: error\ndata: ${JSON.stringify({ errorCode: code, detail: "said" })}\n\n`;
  const url = await answering(t, (request, response) => {
    seen.push(`${request.headers.authorization} ${request.headers["x-of-the-call"]}`);
    if (seen.length === 3) {
      response.writeHead(401, { "content-type": "application/problem+json" });
      return void response.end(JSON.stringify({ errorCode: "UNAUTHENTICATED", detail: "refused" }));
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(
      `id: ${seen.length}\nevent: record\ndata: {"sequence": ${seen.length}}\n\n${said("UNAUTHENTICATED")}`,
    );
  });
  let tokens = 0;
  const sy = new Switchyard({ url, token: () => `t${++tokens}` });
  const records: unknown[] = [];
  const error = await thrownBy(
    t,
    (async () => {
      const headers = { "x-of-the-call": "yes" };
      for await (const one of sy.streams.subscribe({ run_id: "r", stream_id: "s" }, { headers }))
        records.push(one);
    })(),
  );
  t.is(error!.detail, "refused");
  t.deepEqual(records, [{ record: { sequence: 1 } }, { record: { sequence: 2 } }]);
  t.deepEqual(seen, ["Bearer t1 yes", "Bearer t2 yes", "Bearer t3 yes"]);
});

test("given a frame that is not JSON, then the call ends with CONNECTION_LOST and not the process", async (t) => {
  const url = await speaking(t, (send) => send("<html>"));
  const error = await new Promise<SwitchyardError | undefined>((resolve) =>
    new Switchyard({ url }).open("RoutingService/RouteStream", { message: () => {}, closed: resolve }),
  );
  t.is(error?.reason, "CONNECTION_LOST");
});

test("given a server that gives no credit, when too much waits to be sent, then the call ends and says so", async (t) => {
  const url = await speaking(t, () => {});
  const closed: (SwitchyardError | undefined)[] = [];
  const socket = new Switchyard({ url }).open("RoutingService/RouteStream", {
    message: () => {},
    closed: (error) => closed.push(error),
  });
  const message = JSON.stringify({ ref: "x".repeat(1_000_000) });
  for (let sent = 0; sent < 16; sent++) socket.send(message);
  t.deepEqual(closed, []);
  const ready = socket.ready();
  socket.send(message);
  await ready;
  t.is(closed[0]?.reason, "STREAM_BACKPRESSURE");
  for (let sent = 0; sent < 100; sent++) socket.send(message);
  t.is(closed.length, 1);
});

test("given credit, when all of it is sent, then the caller is told that nothing waits", async (t) => {
  const url = await speaking(t, (send) => send('{"credit": 2}'));
  const socket = new Switchyard({ url }).open("RoutingService/RouteStream", {
    message: () => {},
    closed: () => {},
  });
  socket.send("{}");
  socket.send("{}");
  await socket.ready();
  socket.close();
  t.pass();
});

test("given a worker that may not join, when no one waits for it, then onError is told and the process lives", async (t) => {
  const url = await answering(t, (_request, response) => {
    response.writeHead(403, { "content-type": "application/problem+json" });
    response.end(JSON.stringify({ errorCode: "PERMISSION_DENIED", detail: "no role", retryable: false }));
  });
  const unhandled: unknown[] = [];
  const hear = (reason: unknown) => void unhandled.push(reason);
  process.on("unhandledRejection", hear);
  t.teardown(() => void process.off("unhandledRejection", hear));
  const told: string[] = [];
  const onError = ({ code }: SwitchyardError) => void told.push(code);
  const worker = new Switchyard({ url }).worker("p", () => {}, { signals: false, onError });
  await eventually("it has ended", () => told.length > 0 || undefined);
  await turn();
  t.deepEqual(told, ["PERMISSION_DENIED"]);
  t.deepEqual(unhandled, []);
  t.is((await thrownBy(t, worker.done))!.code, "PERMISSION_DENIED");
});

test("given a worker that claims, when it ends before its claim is answered, then the claim is given up", async (t) => {
  let claims = 0;
  let given = 0;
  let close = () => {};
  const closed = new Promise<void>((resolve) => {
    close = resolve;
  });
  const url = await answering(t, (request, response) => {
    const { url: path = "" } = request;
    if (path.endsWith(":claim")) {
      claims++;
      request.resume();
      response.on("close", () => {
        given++;
        close();
      });
      return;
    }
    response.writeHead(200, { "content-type": "application/json" }).end('{"data": {"id": "r"}}');
  });
  const worker = new Switchyard({ url }).worker("p", () => {}, { signals: false, graceMs: 0 });
  await eventually("it claims", () => claims > 0 || undefined);
  await worker.stop();
  // Without that it goes on for as long as a claim may wait, and may be given items.
  await Promise.race([closed, sleep(5_000)]);
  t.is(given, 1);
  t.is(claims, 1);
});
