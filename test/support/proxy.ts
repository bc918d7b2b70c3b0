import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/**
 * A TCP proxy that drops what a test tells it to: answers, requests, connections. It listens on loopback by default.
 */
export interface Proxy {
  readonly port: number;
  /** Drops everything that the server sends; the client gets no answer. */
  loseAnswers(): void;
  /** Holds back what the client sends until `release`. */
  holdRequests(): void;
  /**
   * Closes the clients' connections. Held requests stay with their server connections, so that they can arrive late.
   */
  cutClients(): void;
  /** Sends held requests to the server and returns their number of bytes. */
  release(): number;
  /** Passes new connections and bytes again. */
  pass(): void;
  close(): Promise<void>;
}

interface Link {
  readonly client: Socket;
  readonly server: Socket;
  readonly held: Buffer[];
}

export async function startProxy(
  target: { host: string; port: number },
  address = "127.0.0.1",
): Promise<Proxy> {
  const links = new Set<Link>();
  let mode: "pass" | "lose answers" | "hold requests" = "pass";
  const listener = createServer((client) => {
    const server = connect(target.port, target.host);
    const link: Link = { client, server, held: [] };
    links.add(link);
    client.on("data", (bytes) => (mode === "hold requests" ? link.held.push(bytes) : server.write(bytes)));
    server.on("data", (bytes) => mode !== "lose answers" && !client.destroyed && client.write(bytes));
    client.on("error", () => undefined);
    server.on("error", () => client.destroy());
    client.on("close", () => {
      if (link.held.length === 0) server.end();
    });
    server.on("close", () => {
      client.destroy();
      links.delete(link);
    });
  });
  listener.listen(0, address);
  await once(listener, "listening");
  return {
    port: (listener.address() as { port: number }).port,
    loseAnswers: () => {
      mode = "lose answers";
    },
    holdRequests: () => {
      mode = "hold requests";
    },
    cutClients: () => {
      for (const link of links) link.client.destroy();
    },
    release: () => {
      let bytes = 0;
      for (const link of links)
        for (const part of link.held.splice(0)) {
          bytes += part.length;
          link.server.write(part);
        }
      return bytes;
    },
    pass: () => {
      mode = "pass";
    },
    async close() {
      for (const link of links) {
        link.client.destroy();
        link.server.destroy();
      }
      listener.close();
      await once(listener, "close");
    },
  };
}
