import { once } from "node:events";
import { createServer } from "node:net";
import test from "ava";
import { freePort } from "./free-port.ts";

/** The start of the range from which Linux assigns ephemeral ports. */
const ephemeral = 32_768;

test("a process gets ports of its own: never one twice in a row, none in use, none from the ephemeral range", async (t) => {
  const first = await freePort();
  const server = createServer().listen(first, "127.0.0.1");
  await once(server, "listening");
  const others = await Promise.all(Array.from({ length: 7 }, freePort));
  t.is(new Set([first, ...others]).size, 8);
  t.not(await freePort(), first, "its turn again, but the port is in use");
  t.true(Math.max(first, ...others) < ephemeral);
  server.close();
});
