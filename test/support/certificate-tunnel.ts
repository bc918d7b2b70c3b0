import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { connect, type SecureContextOptions } from "node:tls";

export interface Tunnel {
  readonly port: number;
  close(): void;
}

/** A port in the clear that leads to one with TLS and shows this certificate there: any client gets a certificate so. */
export async function openTunnel(port: number, certificate: SecureContextOptions): Promise<Tunnel> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    sockets.add(client);
    client.on("error", () => undefined);
    client.once("data", (first) => {
      client.pause();
      const isHttp2 = first.toString("latin1").startsWith("PRI");
      const ALPNProtocols = [isHttp2 ? "h2" : "http/1.1"];
      const far = connect({ host: "127.0.0.1", port, ...certificate, ALPNProtocols });
      far.on("error", () => client.destroy());
      far.write(first);
      client.pipe(far);
      far.pipe(client);
      client.on("close", () => far.destroy());
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
