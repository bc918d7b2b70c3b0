import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import test from "ava";
import { testBounds } from "../../test/support/bounds.ts";
import { eventually } from "../../test/support/eventually.ts";
import { listenNative } from "./native.ts";

function listen(
  http1: boolean,
  waiting = Promise.resolve(),
  ping?: { everyMs: number; answerMs: number },
  acceptsPeer?: (address: string) => boolean,
) {
  return listenNative({
    ...(acceptsPeer && { acceptsPeer }),
    ...(ping && { ping }),
    host: "127.0.0.1",
    port: 0,
    bounds: testBounds(),
    bodyBytesMax: 1_000_000,
    bodyTimeoutMs: 5_000,
    http1,
    handler: async (request) => {
      if (request.path === "/busy") await waiting;
      const { length } = await request.body();
      return { status: 200, headers: [], body: `${request.httpVersion} ${length}` };
    },
    refuse: () => ({ status: 400, headers: [] }),
    onError: () => undefined,
  });
}

async function overHttp2(port: number, body: string): Promise<string> {
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  const stream = session.request({ ":method": "POST", ":path": "/" });
  stream.end(body);
  let text = "";
  for await (const chunk of stream) text += chunk;
  session.close();
  return text;
}

test("HTTP/1.1 and HTTP/2 in the clear share one port", async (t) => {
  const server = await listen(true);
  t.teardown(() => server.close());
  const url = `http://127.0.0.1:${server.port}/`;
  const large = "x".repeat(300_000);
  t.is(await (await fetch(url, { method: "POST", body: large })).text(), "1.1 300000");
  t.is(await (await fetch(url)).text(), "1.1 0");
  t.is(await overHttp2(server.port, "abc"), "2.0 3");
  t.is(await overHttp2(server.port, large), "2.0 300000");
});

test("without http1, a request in HTTP/1.1 gets no answer but a closed connection", async (t) => {
  const server = await listen(false);
  t.teardown(() => server.close());
  t.is(await overHttp2(server.port, "abc"), "2.0 3");
  const socket = connect(server.port, "127.0.0.1");
  socket.end("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  let text = "";
  for await (const chunk of socket) text += chunk.toString("latin1");
  t.false(text.includes("200"));
});

test("a client that answers no ping is cut off, and its request is over; one that does stays", async (t) => {
  const server = await listen(false, new Promise(() => {}), { everyMs: 50, answerMs: 2_000 });
  t.teardown(() => server.close());
  const session = connectHttp2(`http://127.0.0.1:${server.port}`);
  t.teardown(() => session.destroy());
  session.request({ ":method": "POST", ":path": "/busy" }).on("error", () => undefined);
  const silent = connect(server.port, "127.0.0.1");
  // The beginning of a connection, and a request to /busy whose answer is long in coming.
  silent.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  silent.write(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]));
  const header = Buffer.concat([
    Buffer.from([0x83, 0x86, 0x44, 5]),
    Buffer.from("/busy"),
    Buffer.from([0x41, 1]),
    Buffer.from("a"),
  ]);
  silent.write(Buffer.concat([Buffer.from([0, 0, header.length, 1, 5, 0, 0, 0, 1]), header]));
  await eventually("both requests have come", () => server.pending() === 2 || undefined);
  silent.resume();
  await new Promise((resolve) => silent.once("close", resolve));
  await eventually("its request is over", () => server.pending() === 1 || undefined);
  t.false(session.destroyed);
});

test("an answer that is complete ends its stream, though the client has not ended its side", async (t) => {
  const server = await listen(true);
  t.teardown(() => server.close());
  const session = connectHttp2(`http://127.0.0.1:${server.port}`);
  t.teardown(() => session.destroy());
  const stream = session.request({ ":method": "POST", ":path": "/" });
  stream.write("never ended");
  stream.resume();
  await new Promise((resolve) => stream.once("close", resolve));
  await eventually("nothing is pending", () => server.pending() === 0 || undefined);
  t.is(stream.rstCode, 0);
});

test("a client that reads none of its answer is gone once its call is over, and the handler is told", async (t) => {
  let stopped = false;
  let hurry!: () => void;
  async function* endless() {
    try {
      for (;;) yield Buffer.alloc(100_000);
    } finally {
      stopped = true;
    }
  }
  const server = await listenNative({
    host: "127.0.0.1",
    port: 0,
    bounds: testBounds(),
    bodyBytesMax: 1_000,
    bodyTimeoutMs: 5_000,
    handler: (request) => {
      hurry = () => request.hurry();
      return { status: 200, headers: [], body: endless() };
    },
    refuse: () => ({ status: 400, headers: [] }),
    onError: () => undefined,
  });
  t.teardown(() => server.close());
  const session = connectHttp2(`http://127.0.0.1:${server.port}`);
  t.teardown(() => session.destroy());
  const stream = session.request({ ":path": "/" });
  await new Promise((resolve) => stream.once("response", resolve));
  t.deepEqual([server.pending(), stopped], [1, false]);
  hurry();
  await eventually("it is not waited for any more", () => stopped || undefined);
  t.is(server.pending(), 0);
});

test("close ends open connections of both kinds", async (t) => {
  const server = await listen(true);
  const session = connectHttp2(`http://127.0.0.1:${server.port}`);
  await new Promise((resolve) => session.once("remoteSettings", resolve));
  const socket = connect(server.port, "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  await new Promise((resolve) => socket.once("data", resolve));
  const closed = Promise.all([
    new Promise((resolve) => session.once("close", resolve)),
    new Promise((resolve) => socket.once("close", resolve)),
  ]);
  await server.close();
  await closed;
  t.pass();
});

test("draining answers what is under way in HTTP/1.1, then closes that connection; idle ones are closed at once", async (t) => {
  let answer!: () => void;
  const waiting = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const server = await listen(true, waiting);
  t.teardown(() => server.close());
  const [idle, busy] = [connect(server.port, "127.0.0.1"), connect(server.port, "127.0.0.1")];
  idle.write("GET /idle HTTP/1.1\r\nHost: a\r\n\r\n");
  await new Promise((resolve) => idle.once("data", resolve));
  busy.write("GET /busy HTTP/1.1\r\nHost: a\r\n\r\n");
  await eventually("the request is under way", () => server.pending() > 0 || undefined);
  const idleEnded = new Promise((resolve) => idle.once("end", resolve));
  server.drain();
  await idleEnded;
  answer();
  let text = "";
  for await (const chunk of busy) text += chunk.toString("latin1");
  t.regex(text, /200 OK[\s\S]*connection: close[\s\S]*1\.1 0$/i);
});

for (const [version, ask] of [
  ["HTTP/1.1", "GET / HTTP/1.1\r\nhost: a\r\nx-forwarded-for: 127.0.0.1\r\n\r\n"],
  ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0"],
] as const)
  test(`${version}: a connection from an address that is not taken is closed unread, whatever X-Forwarded-For says`, async (t) => {
    const server = await listen(true, undefined, undefined, (address) => address === "127.0.0.1");
    t.teardown(() => server.close());
    const bytesFrom = (localAddress: string) =>
      new Promise<number>((resolve) => {
        const socket = connect({ port: server.port, host: "127.0.0.1", localAddress });
        socket.on("error", () => undefined);
        socket.once("data", () => socket.destroy());
        socket.once("close", () => resolve(socket.bytesRead));
        socket.write(ask);
      });
    t.is(await bytesFrom("127.0.0.2"), 0);
    t.true((await bytesFrom("127.0.0.1")) > 0);
  });
