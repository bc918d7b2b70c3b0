import { setImmediate as nextLoop } from "node:timers/promises";
import test from "ava";
import { RawConnection } from "./raw.ts";
import { servers, startFront } from "./support.ts";

const body = '{"name":"a"}';
const head = "POST /api/probe/echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";

/** Valid requests. Wherever the network splits one, it is answered like the whole. */
const requests: Readonly<Record<string, string>> = {
  "a GET with a query":
    "GET /api/probe/looks/a?tags=x&tags=y HTTP/1.1\r\nHost: localhost\r\nX_Under.Dot: 1\r\n\r\n",
  "a POST with a length": `${head}Content-Length: ${body.length}\r\n\r\n${body}`,
  "a chunked POST": `${head}Transfer-Encoding: chunked\r\n\r\n5\r\n${body.slice(0, 5)}\r\n7\r\n${body.slice(5)}\r\n0\r\n\r\n`,
};

/** RFC 9110, 5.6.2. */
const tokenCharacters = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

for (const [name, listen] of Object.entries(servers)) {
  for (const [what, bytes] of Object.entries(requests))
    test(`${name}: ${what} that arrives in two reads is answered, wherever it was cut`, async (t) => {
      const server = await startFront(listen);
      for (let cut = 0; cut < bytes.length; cut++) {
        // Each request has its own connection: uWebSockets.js closes a connection after a chunked request.
        const connection = new RawConnection(server.port).write(bytes.slice(0, cut));
        await isRead();
        connection.write(bytes.slice(cut));
        t.is((await connection.answer({ waitMs: 60_000 }))?.status, 200, `cut before byte ${cut}`);
        connection.destroy();
      }
      await server.close();
    });

  test(`${name}: a request that arrives byte by byte is answered`, async (t) => {
    const server = await startFront(listen);
    for (const bytes of Object.values(requests)) {
      const connection = new RawConnection(server.port);
      for (const byte of bytes) {
        connection.write(byte);
        await isRead();
      }
      t.is((await connection.answer())?.status, 200);
      connection.destroy();
    }
    await server.close();
  });

  test(`${name}: a header name may have every character of a token, first, inside and last`, async (t) => {
    const server = await startFront(listen);
    const connection = new RawConnection(server.port);
    for (const character of tokenCharacters)
      for (const field of [`${character}x`, `x${character}y`, `x${character}`, character]) {
        connection.write(`GET /health HTTP/1.1\r\nHost: localhost\r\n${field}: 1\r\n\r\n`);
        t.is((await connection.answer())?.status, 200, field);
      }
    connection.destroy();
    await server.close();
  });
}

/** The server runs in this process: after some iterations of the event loop it has read what was written before. */
async function isRead(): Promise<void> {
  for (let i = 0; i < 3; i++) await nextLoop();
}
