import { request as nodeRequest } from "node:http";
import test from "ava";
import { testBounds } from "../../test/support/bounds.ts";
import { eventually } from "../../test/support/eventually.ts";
import { listenNode } from "./node.ts";
import type { HttpHandler, HttpServer, ListenHttp } from "./server.ts";
import { listenUws } from "./uws.ts";

const servers: Record<string, ListenHttp> = { uws: listenUws, node: listenNode };

for (const [name, listen] of Object.entries(servers)) {
  test(`${name}: a body comes back as it was sent, small, large and chunked`, async (t) => {
    const server = await start(listen, async (request) => ({
      status: 200,
      headers: [["content-type", "application/octet-stream"]],
      body: await request.body(),
    }));
    for (const size of [0, 1, 1_000, 100_000, 1_000_000]) {
      const sent = Buffer.alloc(size, "x");
      const answer = await fetch(`http://127.0.0.1:${server.port}/echo`, { method: "POST", body: sent });
      t.deepEqual(Buffer.from(await answer.arrayBuffer()), sent, `${size}`);
    }
    const chunked = await send(server, { method: "POST", pieces: ["a", "b", "c"] });
    t.is(chunked.body, "abc");
    await server.close();
  });

  test(`${name}: a header that an answer has twice is sent with both values`, async (t) => {
    const headers = [
      ["vary", "accept-encoding"],
      ["vary", "Origin"],
    ] as const;
    const server = await start(listen, () => ({ status: 200, headers, body: "" }));
    const answer = await fetch(`http://127.0.0.1:${server.port}/`);
    t.is(answer.headers.get("vary"), "accept-encoding, Origin");
    await server.close();
  });

  test(`${name}: a streamed answer arrives in order and waits for a slow reader`, async (t) => {
    let produced = 0;
    const piece = Buffer.alloc(64 * 1_024, "y");
    const server = await start(listen, () => ({ status: 200, headers: [], body: pieces() }));
    async function* pieces() {
      for (let i = 0; i < 200; i++) {
        produced = i;
        yield piece;
      }
    }
    const answer = await fetch(`http://127.0.0.1:${server.port}/`);
    const reader = answer.body!.getReader();
    await reader.read();
    await new Promise((resolve) => setTimeout(resolve, 100));
    t.true(produced < 199, "the producer was held back");
    let total = piece.byteLength;
    for (total = 0; ; ) {
      const { value, done } = await reader.read();
      if (done) break;
      total += value.byteLength;
    }
    t.true(total > 199 * piece.byteLength - 1_000_000);
    t.is(produced, 199);
    await server.close();
  });

  test(`${name}: the first piece of an answer that ends its connection is not held back for the second`, async (t) => {
    let more = () => {};
    const server = await start(listen, () => ({ status: 200, headers: [], body: pieces(), close: true }));
    async function* pieces() {
      yield Buffer.from("first");
      await new Promise<void>((resolve) => {
        more = resolve;
      });
      yield Buffer.from("second");
    }
    const answer = await fetch(`http://127.0.0.1:${server.port}/`);
    t.is(answer.headers.get("connection"), "close");
    const reader = answer.body!.getReader();
    t.is(Buffer.from((await reader.read()).value!).toString(), "first");
    more();
    t.is(Buffer.from((await reader.read()).value!).toString(), "second");
    t.true((await reader.read()).done);
    await server.close();
  });

  test(`${name}: a client that goes away aborts the signal and ends the stream`, async (t) => {
    const ended: string[] = [];
    let aborted!: () => void;
    const gone = new Promise<void>((resolve) => {
      aborted = resolve;
    });
    const server = await start(listen, (request) => {
      request.signal.addEventListener("abort", () => aborted());
      return { status: 200, headers: [], body: forever() };
    });
    let tick!: NodeJS.Timeout;
    async function* forever() {
      try {
        for (;;) {
          yield Buffer.from("tick\n");
          await new Promise((resolve) => {
            tick = setTimeout(resolve, 5);
          });
        }
      } finally {
        clearTimeout(tick);
        ended.push("ended");
      }
    }
    const controller = new AbortController();
    const answer = await fetch(`http://127.0.0.1:${server.port}/`, { signal: controller.signal });
    await answer.body!.getReader().read();
    controller.abort();
    await gone;
    await new Promise((resolve) => setTimeout(resolve, 50));
    t.deepEqual(ended, ["ended"]);
    t.is(server.pending(), 0);
    await server.close();
  });

  test(`${name}: a handler that throws is answered with 500, and the connection goes on`, async (t) => {
    const server = await start(listen, () => {
      throw new Error("a secret");
    });
    for (let i = 0; i < 2; i++) {
      const answer = await fetch(`http://127.0.0.1:${server.port}/`);
      t.regex(await answer.text(), /^Internal error \(ref: [0-9a-f]{8}\)$/);
    }
    await server.close();
  });

  test(`${name}: after drain an open connection gets its answer and is then closed`, async (t) => {
    let release!: () => void;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const server = await start(listen, async () => {
      await held;
      return { status: 200, headers: [], body: "late" };
    });
    const answer = send(server, { method: "GET" });
    await eventually("the request is under way", () => server.pending() === 1 || undefined);
    server.drain();
    release();
    const { body, headers } = await answer;
    t.is(body, "late");
    t.is(headers.connection, "close");
    await t.throwsAsync(fetch(`http://127.0.0.1:${server.port}/`));
    await server.close();
  });
}

function start(listen: ListenHttp, handler: HttpHandler): Promise<HttpServer> {
  return listen({
    host: "127.0.0.1",
    port: 0,
    bounds: testBounds(),
    bodyBytesMax: 4 * 1_024 * 1_024,
    bodyTimeoutMs: 5_000,
    handler,
    refuse: (refusal) => ({ status: 400, headers: [], body: refusal.detail }),
    onError: () => undefined,
  });
}

function send(server: HttpServer, options: { method: string; pieces?: readonly string[] }) {
  return new Promise<{ body: string; headers: NodeJS.Dict<string | string[]> }>((resolve, reject) => {
    const request = nodeRequest({ port: server.port, method: options.method }, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (text: string) => {
        body += text;
      });
      response.on("end", () => resolve({ body, headers: response.headers }));
    });
    request.on("error", reject);
    for (const piece of options.pieces ?? []) request.write(piece);
    request.end();
  });
}
