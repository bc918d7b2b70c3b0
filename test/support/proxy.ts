import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** A TCP proxy that loses what it is told to lose: answers, requests, connections. It listens on loopback unless told otherwise. */
export interface Proxy {
  readonly port: number;
  /** What the server says is thrown away; the client waits in vain. */
  loseAnswers(): void;
  /** What the client says is kept back until `release`. */
  holdRequests(): void;
  /** Ends the clients' connections. Held requests stay with their server connections, ready to arrive late. */
  cutClients(): void;
  /** Hands held requests to the server and returns how many bytes they were. */
  release(): number;
  /** Back to normal for new connections and bytes. */
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
