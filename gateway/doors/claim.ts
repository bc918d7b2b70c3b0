import { existsSync, readFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";

export interface Claim {
  readonly port: number;
  release(): Promise<void>;
}

/**
 * Claims the address of a server that listens exclusively, until it is released or this process ends. Threads share their
 * ports (SO_REUSEPORT), and the kernel lets every other process of the user share them too. So the claim is a second
 * socket, in Linux's abstract namespace: it has no file, and reaches as far as ports do. Other systems have none; they
 * have only the moment in which the server listens. Two services whose addresses overlap cannot both have such a server, so
 * they claim one after the other.
 */
export async function claim(held: Server): Promise<Claim> {
  const { address, port } = held.address() as AddressInfo;
  if (process.platform !== "linux") return { port, release: async () => undefined };
  if (claimedOf(port).some((other) => overlap(address, other))) throw inUse();
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ path: nameOf(port, address) }, resolve);
  });
  server.unref();
  return { port, release: () => new Promise((resolve) => server.close(() => resolve())) };
}

/** All Unix sockets of this network namespace. */
const sockets = "/proc/net/unix";
const prefix = "switchyard/";
/** Of the address of a Unix socket. Node 20 fills a shorter name with zeros, later ones do not: the names must be equal. */
const nameBytes = 108;

function nameOf(port: number, address: string): string {
  return `\0${prefix}${port}/${address}`.padEnd(nameBytes, "\0");
}

/** Addresses at which services of this machine have claimed the port. Zeros of a name are shown as `@`. */
function claimedOf(port: number): readonly string[] {
  const own = `@${prefix}${port}/`;
  const listed = existsSync(sockets) ? readFileSync(sockets, "utf8") : "";
  return listed
    .split("\n")
    .map((line) => line.slice(line.lastIndexOf(" ") + 1).replace(/@+$/, ""))
    .filter((name) => name.startsWith(own))
    .map((name) => name.slice(own.length));
}

function overlap(a: string, b: string): boolean {
  return covers(a, b) || covers(b, a);
}

/** `::` takes IPv4 as well. */
function covers(wide: string, address: string): boolean {
  return wide === address || wide === "::" || (wide === "0.0.0.0" && !address.includes(":"));
}

function inUse(): NodeJS.ErrnoException {
  return Object.assign(new Error("is claimed by another service"), { code: "EADDRINUSE" });
}
