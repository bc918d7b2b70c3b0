import { once } from "node:events";
import { createServer } from "node:net";
import test from "ava";
import { freePort } from "./free-port.ts";

/** Where Linux begins to give out ports to whoever asks for any. */
const ephemeral = 32_768;

test("ports are this process's own: never twice in a row, none that is in use, none the system would give to another", async (t) => {
  const first = await freePort();
  const server = createServer().listen(first, "127.0.0.1");
  await once(server, "listening");
  const others = await Promise.all(Array.from({ length: 7 }, freePort));
  t.is(new Set([first, ...others]).size, 8);
  t.not(await freePort(), first, "its turn again, but somebody listens there");
  t.true(Math.max(first, ...others) < ephemeral);
  server.close();
});
