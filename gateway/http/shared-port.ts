import type { AddressInfo, ListenOptions, Server } from "node:net";

/** Node's own servers share a port among threads from 22.12 and 23.1 on (`reusePort`), on systems that divide connections. */
export function canSharePorts(version = process.versions.node, platform: string = process.platform): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const has = major === 22 ? minor >= 12 : major === 23 ? minor >= 1 : major > 23;
  return has && platform === "linux";
}

export interface ListenPlace {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Other threads listen on it too. */
  readonly sharesPort?: boolean;
}

/** Resolves with the port on which the server listens. */
export async function listenOn(server: Server, { host, port, sharesPort }: ListenPlace): Promise<number> {
  const options: ListenOptions & { reusePort?: boolean } = { host, port };
  if (sharesPort) options.reusePort = true;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options, () => {
      server.off("error", reject);
      resolve();
    });
  });
  return (server.address() as AddressInfo).port;
}
