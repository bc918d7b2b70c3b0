import test from "ava";
import { RawConnection } from "../http/raw.ts";
import { eventually } from "../support/eventually.ts";
import { runService, startDev } from "./support.ts";

test.serial("SIGTERM ends an idle service with 0", async (t) => {
  const service = await startDev(t);
  const created = await createPool(service.ports.http, "kept");
  t.is(created, 201);
  service.signal("SIGTERM");
  const { code, stderr } = await service.ended;
  t.is(code, 0, stderr);
});

test.serial(
  "SIGTERM under load: the service exits 0 and every request on an open connection is answered",
  async (t) => {
    const service = await startDev(t, ["--set", "server.workers=2", "--set", "server.drain_linger=20s"]);
    let answered = 0;
    const clients = Array.from({ length: 16 }, async () => {
      const connection = new RawConnection(service.ports.http);
      for (;;) {
        const answer = await connection.write(createPoolRequest).answer({ waitMs: 60_000 });
        if (answer === undefined) return "cut off";
        if (answer.status !== 201) return `refused with ${answer.status}`;
        answered++;
        if (answer.headers.get("connection") === "close") return "told to close";
      }
    });
    await eventually("there is load", () => answered >= 100 || undefined);
    service.signal("SIGTERM");
    const { code, stderr } = await service.ended;
    t.is(code, 0, stderr);
    t.deepEqual(new Set(await Promise.all(clients)), new Set(["told to close"]));
  },
);

test.serial("a second service on the same address is refused in words", async (t) => {
  const service = await startDev(t);
  const second = await runService([
    "dev",
    "--ephemeral",
    "--random-ports",
    "--set",
    `server.http_addr=127.0.0.1:${service.ports.http}`,
  ]);
  t.is(second.code, 1);
  t.regex(second.stderr, /is in use/);
  const third = await runService([
    "dev",
    "--ephemeral",
    "--random-ports",
    "--set",
    `server.grpc_addr=127.0.0.1:${service.ports.grpc}`,
  ]);
  t.is(third.code, 1, "also where it shows only after the workers have started");
  t.regex(third.stderr, /EADDRINUSE|No address added/);
  service.signal("SIGTERM");
  t.is((await service.ended).code, 0);
});

async function createPool(port: number, name: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/pools`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name }),
  });
  await answer.text();
  return answer.status;
}

const poolBody = '{"name":"load"}';
const createPoolRequest = `POST /api/pools HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${poolBody.length}\r\n\r\n${poolBody}`;
