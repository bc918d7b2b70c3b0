import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { eventually } from "../support/eventually.ts";
import { type RunningService, startDev } from "./support.ts";

async function call({ ports }: RunningService, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${ports.http}${path}`, {
    ...(body && {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

test("service dev, killed, with every inner page of its tables corrupt: the next start rebuilds them, and every resource reads as before", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "corrupt-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const set = ["--set", `storage.dir=${folder}/data`, "--set", "server.workers=1"];
  const tables = join(folder, "data", "tables", "data.mdb");
  const first = await startDev(t, set);
  for (let n = 0; n < 20; n++) await call(first, "/api/pools", { name: `pool ${n}` });
  const pools = await call(first, "/api/pools?limit=100");
  await eventually("a pool is in the tables", () => readFileSync(tables).includes("pool 19") || undefined);
  first.signal("SIGKILL");
  await first.ended;

  writeFileSync(tables, readFileSync(tables).fill(0x55, 2 * 4_096));
  const second = await startDev(t, set);
  t.deepEqual(members(await call(second, "/api/pools?limit=100")), members(pools));
  second.signal("SIGTERM");
  t.regex((await second.ended).stderr, /the tables are rebuilt from the journal/);
});

function members(answer: unknown): unknown {
  return (answer as { data: unknown }).data;
}
