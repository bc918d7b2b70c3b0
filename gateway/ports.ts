import { type AddressInfo, createServer } from "node:net";
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
 * port 0 a free one is found here, because uWebSockets.js shares only ports it was told.
 */
export async function reserveHttpPort(config: Config): Promise<Ports> {
  const address = config["server.http_addr"];
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(error.code === "EADDRINUSE" ? new Error(`the address ${address} is in use`) : error);
    });
    server.listen({ ...splitAddress(address), exclusive: true }, resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return { http: port };
}
