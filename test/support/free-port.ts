import { once } from "node:events";
import { createServer } from "node:net";

/** Below the ephemeral ports of the system, and above the well-known ones. */
const firstPort = 20_000;
const perProcess = 8;
const processes = 1_500;
let taken = 0;

/**
 * A port on which a program that is started later can listen, also again after it was killed. A port that the system
 * assigned and took back may belong to another process by then: a Cassandra node needs twenty seconds before it
 * listens. So each process has a few of its own, by its number, outside the ephemeral range.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < perProcess; tries++) {
    const port = firstPort + perProcess * (process.pid % processes) + (taken++ % perProcess);
    if (await isFree(port)) return port;
  }
  throw new Error(`all ${perProcess} ports of process ${process.pid} are in use`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
