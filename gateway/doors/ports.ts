import { createServer, type Server } from "node:net";
import { limits } from "#base";
import { type Config, splitAddress } from "../config/index.ts";
import { type Claim, claim } from "./claim.ts";

/** Ports that are already taken by this process, by listener; a replacement opens them again. */
export type Ports = Readonly<Record<string, number>>;

const settingOf = {
  http: "server.http_addr",
  grpc: "server.grpc_addr",
  native: "api.addr",
  internal: "server.internal_addr",
} as const;

const addressKeys = [...Object.values(settingOf), "server.metrics_addr"] as const;

/** The same settings with the ports that were found for those that asked for any. */
export function withPorts(config: Config, ports: Ports): Config {
  const addresses = Object.entries(settingOf).flatMap(([name, key]) => {
    const port = ports[name];
    if (port === undefined || config[key] === "") return [];
    return [[key, `${config[key].slice(0, config[key].lastIndexOf(":"))}:${port}`]];
  });
  return { ...config, ...Object.fromEntries(addresses) };
}

/** Of the listeners whose port is set. */
export function fixedPorts(config: Config): readonly number[] {
  return addressKeys
    .filter((key) => config[key] !== "")
    .map((key) => splitAddress(config[key]).port)
    .filter((port) => port !== 0);
}

export interface ClaimedAddresses {
  readonly ports: Ports;
  /** The listeners are closed: another service may have the addresses. */
  release(): Promise<void>;
}

/**
 * Every address is claimed first, all at the same time: what cannot be had is told with its setting, before anything has
 * started. For port 0 there is nothing to claim: the first thread finds one and says which, before the others open theirs.
 */
export async function claimAddresses(config: Config): Promise<ClaimedAddresses> {
  const held: Server[] = [];
  const claims: Claim[] = [];
  const release = async () => void (await Promise.all(claims.map((claim) => claim.release())));
  try {
    for (const key of addressKeys) {
      const { host, port } = splitAddress(config[key]);
      if (config[key] === "" || port === 0) continue;
      const server = await hold(host, port).catch((error) => refuse(`${key}: ${config[key]}`, error));
      held.push(server);
      claims.push(await claim(server).catch((error) => refuse(`${key}: ${config[key]}`, error)));
    }
  } catch (error) {
    await release();
    throw error;
  } finally {
    await Promise.all(held.map(letGo));
  }
  const areKnown = Object.values(settingOf).every(
    (key) => config[key] === "" || splitAddress(config[key]).port !== 0,
  );
  return { ports: areKnown ? { http: splitAddress(config["server.http_addr"]).port } : {}, release };
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
    const server = await hold(host, 0);
    let claimed: Claim | undefined;
    try {
      claimed = await claim(server);
      await letGo(server);
      return await listen(claimed.port);
    } catch (error) {
      if (attempt >= limits.freePortAttemptsMax) throw error;
    } finally {
      server.close();
      await claimed?.release();
    }
  }
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
