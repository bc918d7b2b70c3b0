import { type AddressInfo, createServer, type Server } from "node:net";
import { limits } from "#base";
import { type Config, splitAddress } from "../config/index.ts";

/** Ports that are already taken by this process, by listener; a replacement opens them again. */
export type Ports = Readonly<Record<string, number>>;

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
 * Every address is tried first, all at the same time: what cannot be had is told with its setting, before anything has
 * started. The threads share ports, and the kernel would let another process share them too. For port 0 there is
 * nothing to try: the first thread finds one and says which, before the others open theirs.
 */
export async function tryAddresses(config: Config): Promise<Ports> {
  const held: Server[] = [];
  try {
    for (const key of [...Object.values(settingOf), "server.metrics_addr"] as const) {
      const { host, port } = splitAddress(config[key]);
      if (config[key] === "" || port === 0) continue;
      held.push(await hold(host, port).catch((error) => refuse(`${key}: ${config[key]}`, error)));
    }
  } finally {
    await Promise.all(held.map(letGo));
  }
  const shared = [config["server.http_addr"], config["server.grpc_addr"], config["api.addr"]];
  const areKnown = shared.every((address) => address === "" || splitAddress(address).port !== 0);
  return areKnown ? { http: splitAddress(config["server.http_addr"]).port } : {};
}

function refuse(what: string, error: NodeJS.ErrnoException): never {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: "is in use",
    EADDRNOTAVAIL: "is no address of this machine",
    EACCES: "may not be used by this user",
    ENOTFOUND: "is a name that leads nowhere",
  };
  throw new Error(`${what} ${reasons[error.code ?? ""] ?? `cannot be used (${error.message})`}`);
}

/**
 * uWebSockets.js shares only ports it was told, so a free one is found for it. Another process may take it in the moment
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

/** Taken for a moment, by us only, and let go. */
async function portOf(host: string, port: number): Promise<number> {
  const server = await hold(host, port);
  const found = (server.address() as AddressInfo).port;
  await letGo(server);
  return found;
}

async function hold(host: string, port: number): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port, exclusive: true }, resolve);
  });
  return server;
}

function letGo(server: Server): Promise<unknown> {
  return new Promise((resolve) => server.close(resolve));
}
