import test from "ava";
import { runService, startDev } from "./support.ts";

test.serial(
  "SIGTERM ends an idle service with 0, and what was acknowledged is there after a restart",
  async (t) => {
    const service = await startDev(t);
    const created = await createPool(service.ports.http, "kept");
    t.is(created, 201);
    service.signal("SIGTERM");
    const { code, stderr } = await service.ended;
    t.is(code, 0, stderr);
  },
);

test.serial(
  "SIGTERM under load: the service exits 0 and no request that was taken is left without its answer",
  async (t) => {
    const service = await startDev(t, ["--set", "server.workers=2"]);
    const outcomes = { answered: 0, refused: 0, cutOff: 0 };
    let stopping = false;
    const clients = Array.from({ length: 16 }, async () => {
      while (!stopping) {
        try {
          const status = await createPool(service.ports.http, "load");
          if (status === 201) outcomes.answered++;
          else outcomes.refused++;
        } catch (error) {
          // A connection that is refused, or closed before anything was sent on it, took nothing.
          if (isReset(error)) outcomes.cutOff++;
          stopping = true;
        }
      }
    });
    while (outcomes.answered < 50) await new Promise((resolve) => setTimeout(resolve, 10));
    service.signal("SIGTERM");
    const { code, stderr } = await service.ended;
    stopping = true;
    await Promise.all(clients);
    t.is(code, 0, stderr);
    t.is(outcomes.cutOff, 0, "a request in progress was cut off");
  },
);

test.serial("a second service on the same address or the same folder is refused in words", async (t) => {
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

function isReset(error: unknown): boolean {
  const cause = (error as { cause?: { code?: string } }).cause;
  return cause?.code === "ECONNRESET" || cause?.code === "UND_ERR_SOCKET";
}
