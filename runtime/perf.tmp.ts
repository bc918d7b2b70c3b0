import { mkdtempSync, rmSync } from "node:fs";
import { attachStorage, startStorage } from "#storage";
import { openMemory } from "../storage/memory/index.ts";
import { startRuntime, systemWorld } from "./index.ts";
import { cover, notebook } from "./support/notebook.ts";

const caller = {
  tenant: "t",
  subject: "s",
  requestId: "r",
  environmentMode: "any" as const,
  platform: false,
};
const mode = process.argv[2];
const shards = [...Array(256).keys()];
if (mode === "read") {
  const r = await startRuntime({
    storage: openMemory(),
    shards,
    definitions: [notebook, cover],
    world: systemWorld(),
  });
  const ask = {
    to: { kind: "notebook", tenant: "t", key: "a" },
    method: "Notebook.Do",
    request: { command: { type: "read" } },
    caller,
    deadlineMs: Date.now() + 1e9,
  };
  for (let round = 0; round < 5; round++) {
    const t0 = performance.now();
    let n = 0;
    const c0 = process.cpuUsage();
    while (performance.now() - t0 < 1000) {
      const ps = [];
      for (let i = 0; i < 256; i++)
        ps.push(r.ask({ ...ask, to: { kind: "notebook", tenant: "t", key: "k" + (i & 63) } }));
      await Promise.all(ps);
      n += 256;
    }
    {
      const c = process.cpuUsage(c0);
      console.log("read asks per cpu-s", Math.round(n / ((c.user + c.system) / 1e6)));
    }
  }
  r.stop();
} else {
  const dir = mkdtempSync("/tmp/perf-");
  const host = await startStorage({ engine: "embedded", dir });
  const storage = await attachStorage(host.seat(0).data);
  const r = await startRuntime({ storage, shards, definitions: [notebook, cover], world: systemWorld() });
  let acked = 0,
    refused = 0,
    stop = false;
  const one = (i: number) => {
    if (stop) return;
    r.post(
      {
        to: { kind: "notebook", tenant: "t", key: "hot" },
        method: "Notebook.Do",
        request: { command: { type: "add", amount: 1, text: "hello" } },
        caller,
        deadlineMs: Date.now() + 1e9,
        ...(mode === "idem" ? { idempotency: { scope: `s${i}-${Math.random()}`, fingerprint: "f" } } : {}),
      },
      (a) => {
        "refused" in a ? refused++ : acked++;
        one(i);
      },
    );
  };
  for (let i = 0; i < 512; i++) one(i);
  for (let round = 0; round < 5; round++) {
    const b = acked;
    const t0 = performance.now();
    const c0 = process.cpuUsage();
    await new Promise((r) => setTimeout(r, 1000));
    {
      const c = process.cpuUsage(c0);
      console.log("per cpu-s", Math.round((acked - b) / ((c.user + c.system) / 1e6)));
    }
    console.log(
      mode,
      "durable/s",
      Math.round(((acked - b) / (performance.now() - t0)) * 1000),
      "refused",
      refused,
    );
  }
  stop = true;
  await r.drain();
  r.stop();
  await storage.close();
  await host.close();
  rmSync(dir, { recursive: true });
}
