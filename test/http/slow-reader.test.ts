import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import test from "ava";
import { limits } from "#base";
import { testBounds } from "../support/bounds.ts";
import { servers } from "./support.ts";

test("the documents say how long a client may read nothing", (t) => {
  const text = readFileSync(new URL("../../docs/streams.md", import.meta.url), "utf8");
  t.true(text.includes(`A client that reads nothing for ${limits.ssePatienceMs / 1_000} s is cut off.`));
});

for (const [name, listen] of Object.entries(servers)) {
  /** A server whose answer never ends; `ended` resolves when its producer is told that nobody reads. */
  async function endless(t: { teardown(fn: () => Promise<void>): void }, patienceMs: number) {
    let tell: () => void;
    const ended = new Promise<void>((resolve) => {
      tell = resolve;
    });
    async function* body() {
      try {
        for (;;) yield Buffer.alloc(64 * 1_024, "x");
      } finally {
        tell();
      }
    }
    const server = await listen({
      host: "127.0.0.1",
      port: 0,
      bounds: testBounds(),
      bodyBytesMax: limits.bodyBytesMax,
      bodyTimeoutMs: 5_000,
      handler: () => ({
        status: 200,
        headers: [],
        body: body(),
        patienceMs,
      }),
      refuse: () => ({ status: 400, headers: [] }),
      onError: () => undefined,
    });
    t.teardown(() => server.close());
    const socket = connect(server.port, "127.0.0.1");
    socket.on("error", () => undefined);
    t.teardown(async () => void socket.destroy());
    socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await once(socket, "connect");
    return ended;
  }

  test(`${name}: a client that reads nothing for as long as its answer waits is cut off`, async (t) => {
    const ended = await endless(t, 300);
    await ended;
    t.pass();
  });
}
