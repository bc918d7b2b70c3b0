import { connect, type Socket } from "node:net";
import test from "ava";
import { Server } from "../crash/server.ts";
import { eventually } from "../support/eventually.ts";

for (const httpServer of ["uws", "node"])
  test.serial(
    `${httpServer}: beyond server.max_connections every listener closes new connections, and storage still works`,
    async (t) => {
      const server = new Server([`server.http_server=${httpServer}`, "server.max_connections=40"]);
      t.teardown(() => server.remove());
      await server.start();
      const held = await opened(server.ports.http!, 40);
      t.is(await openOf(held), 40);
      for (const port of Object.values(server.ports)) t.is(await openOf(await opened(port, 5)), 0);
      t.is(await openOf(held), 40);
      t.is(await createPool(held[0]!), 201);
      for (const socket of held) socket.destroy();
      await eventually("there is room again", async () => {
        const [socket] = await opened(server.ports.native!, 1);
        const isOpen = (await openOf([socket!])) === 1;
        socket!.destroy();
        return isOpen || undefined;
      });
    },
  );

async function opened(port: number, count: number): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => connect(port, "127.0.0.1").resume());
  await Promise.all(
    sockets.map(
      (socket) =>
        new Promise<void>((resolve) => {
          socket.once("connect", () => resolve());
          socket.on("error", () => resolve());
        }),
    ),
  );
  return sockets;
}

/** Waits for the time within which surplus connections are closed. */
async function openOf(sockets: readonly Socket[]): Promise<number> {
  const count = () => sockets.filter((socket) => !socket.destroyed && socket.readable).length;
  let before = count();
  for (let quiet = 0; quiet < 5; quiet++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    if (count() !== before) quiet = 0;
    before = count();
  }
  return before;
}

function createPool(socket: Socket): Promise<number> {
  const body = '{"name":"a pool"}';
  const lines = ["POST /api/pools HTTP/1.1", "Host: localhost", "Content-Type: application/json"];
  socket.write(`${lines.join("\r\n")}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  return new Promise((resolve) => {
    socket.once("data", (answer: Buffer) => resolve(Number(answer.toString().split(" ")[1])));
  });
}
