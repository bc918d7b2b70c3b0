/**
 * Makes a golden folder: `npm run golden -- NAME [--service FOLDER] [--killed]` with a build of the release in FOLDER
 * (default: this one). NAME.packed is the data folder after the release has ended, cleanly or killed during a write to
 * its tables. NAME.json has the answers of that release over a copy of the folder.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setImmediate as nextLoop } from "node:timers/promises";
import { parseArgs } from "node:util";
import { fill } from "./fill.ts";
import { packFolder } from "./packed.ts";
import { readAll } from "./read.ts";
import { type Service, startService } from "./service.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { service: { type: "string", default: "." }, killed: { type: "boolean", default: false } },
});
const [name] = positionals;
if (name === undefined) throw new Error("give the golden folder a name");
const command = [resolve(values.service, "dist/cli/service.js")];
const scratch = mkdtempSync(join(tmpdir(), "switchyard-golden-"));
const services: Service[] = [];
try {
  let dir = "";
  let more: string[] = [];
  for (let round = 0; ; round++) {
    dir = join(scratch, `data-${round}`);
    const service = await start(dir);
    more = await fill(service);
    if (!values.killed) {
      await service.end("SIGTERM");
      break;
    }
    await killDuringFlush(service, dir);
    if (hasUnfinishedPages(dir)) break;
    console.log("the kill came between two transactions; once more");
  }
  const at = Date.now();
  const packed = packFolder(dir);
  cpSync(dir, join(scratch, "copy"), {
    recursive: true,
    filter: (path) => !path.startsWith(join(dir, "lock")),
  });
  const reader = await start(join(scratch, "copy"));
  const answers = await readAll(reader, more);
  await reader.end("SIGTERM");
  writeFileSync(join(import.meta.dirname, `${name}.packed`), packed);
  writeFileSync(join(import.meta.dirname, `${name}.json`), `${JSON.stringify({ at, answers }, null, 1)}\n`);
  console.log(`${name}: ${packed.length} bytes, ${Object.keys(answers).length} answers`);
} finally {
  for (const service of services) await service.end("SIGKILL");
  rmSync(scratch, { recursive: true });
}

async function start(dir: string): Promise<Service> {
  const service = await startService(command, dir);
  services.push(service);
  return service;
}

/**
 * The tables' file grows before a transaction counts: its pages are written first, then the meta page that refers to
 * them.
 */
async function killDuringFlush(service: Service, dir: string): Promise<void> {
  const file = join(dir, "tables/data.mdb");
  const { id } = await service.call("POST", "/api/pools", { name: "busy" });
  const before = statSync(file).size;
  const items = Array.from({ length: 40 }, (_, n) => ({ key: `busy ${n}`, payload: "x".repeat(16_000) }));
  await service.call("POST", `/api/queues/${id}/items:batch`, { items });
  while (statSync(file).size === before) await nextLoop();
  await service.end("SIGKILL");
}

/** True if the file has pages after the last one of the newest finished transaction (LMDB's two meta pages). */
function hasUnfinishedPages(dir: string): boolean {
  const bytes = readFileSync(join(dir, "tables/data.mdb"));
  const metas = [0, 4_096].map((at) => ({
    lastPage: Number(bytes.readBigUInt64LE(at + 24 + 120)),
    transaction: bytes.readBigUInt64LE(at + 24 + 128),
  }));
  const newest = metas.reduce((a, b) => (a.transaction > b.transaction ? a : b));
  return bytes.length > (newest.lastPage + 1) * 4_096;
}
