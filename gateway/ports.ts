import { type AddressInfo, createServer } from "node:net";
import { limits } from "#base";
import { type Config, splitAddress } from "./config/index.ts";
import type { Ports } from "./thread-messages.ts";

const settingOf = {
  http: "server.http_addr",
  grpc: "server.grpc_addr",
  native: "api.addr",
  internal: "server.internal_addr",
} as const;

/** The same settings with the ports that were found for those that asked for any. */
export function withPorts(config: Config, ports: Ports): Config {
  const addresses = Object.entries(settingOf).flatMap(([name, key]) => {
    const port = ports[name];
    if (port === undefined || config[key] === "") return [];
    return [[key, `${config[key].slice(0, config[key].lastIndexOf(":"))}:${port}`]];
  });
  return { ...config, ...Object.fromEntries(addresses) };
}

/**
 * The port the threads will share, tried first: another process must not share it too, and the kernel would let it. For
 * port 0 there is nothing to try: the first thread finds one and says which.
 */
export async function reserveHttpPort(config: Config): Promise<Ports> {
  const address = config["server.http_addr"];
  const { host, port } = splitAddress(address);
  if (port === 0) return {};
  try {
    await portOf(host, port);
  } catch (error) {
    throw isTaken(error) ? new Error(`the address ${address} is in use`) : error;
  }
  return { http: port };
}

/**
 * uWebSockets.js shares only ports it was told, so a free one is found for it. Somebody else may take it in the moment
 * between: then it is another.
 */
export async function onFreePort<T>(host: string, listen: (port: number) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const port = await portOf(host, 0);
    try {
      return await listen(port);
    } catch (error) {
      if (attempt >= limits.freePortAttemptsMax) throw error;
    }
  }
}

/** Taken for a moment, by nobody but us, and let go. */
async function portOf(host: string, port: number): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port, exclusive: true }, resolve);
  });
  const found = (server.address() as AddressInfo).port;
  await new Promise((resolve) => server.close(resolve));
  return found;
}

function isTaken(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "EADDRINUSE";
}
