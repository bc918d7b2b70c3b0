import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { eventually } from "../support/eventually.ts";
import { startDev } from "./support.ts";

type Message = Record<string, unknown>;

test("the clock of a service is set back by a day: leases end on time, and /ready is degraded and says why", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "service-clock-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const back = join(folder, "back");
  const preload = new URL("./clock-back.mjs", import.meta.url).href;
  const service = await startDev(t, [], { NODE_OPTIONS: `--import=${preload}`, CLOCK_BACK: back });
  const call = async (method: string, path: string, body?: Message) => {
    const response = await fetch(`http://127.0.0.1:${service.ports.http}${path}`, {
      method,
      ...(body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    });
    return (await response.json()) as Message;
  };
  const post = async (path: string, body: Message) => (await call("POST", path, body)).data as Message;
  const { id: pool } = await post("/api/pools", { name: "p", config: { lease_seconds: 3 } });
  const { id: recipient } = await post(`/api/pools/${pool}/recipients`, { name: "r" });
  await post(`/api/queues/${pool}/items`, { payload: {} });
  const claim = async () => {
    const claimed = await post(`/api/queues/${pool}/items:claim`, { recipient_id: recipient });
    return (claimed.items as Message[] | undefined) ?? [];
  };
  t.is((await claim()).length, 1);
  writeFileSync(back, "");
  const degraded = await eventually("/ready says so", async () => {
    const ready = await call("GET", "/ready");
    return ready.status === "degraded" ? ready : undefined;
  });
  t.regex(JSON.stringify(degraded), /the clock is 86\d{3} s behind the service's time/);
  t.is(
    (
      await eventually("the lease has ended", async () => {
        const items = await claim();
        return items.length > 0 ? items : undefined;
      })
    ).length,
    1,
  );
});
