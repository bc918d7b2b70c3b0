// How long from the start of the process to its first /health answer, and how much memory does it idle with?
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineBench, type Stats } from "./support/bench.ts";
import { inFolder } from "./support/folder.ts";

const command = fileURLToPath(new URL("../dist/cli/service.js", import.meta.url));
/** An idle thread returns memory after six or twelve seconds by its own clock (gateway/process/collect-garbage.ts). */
const idleMs = 16_000;

export default defineBench({
  question:
    "How long until the first /health answer of `service dev` with two workers, and what does it idle with?",
  contenders: { service },
  rounds: 5,
  bars: [
    { figure: "health_ms", contender: "service", atMost: 2_000 },
    { figure: "idle_mb", contender: "service", atMost: 150 },
  ],
});

/** The built command (run `npm run build` first), as users run it. */
async function service(): Promise<Stats> {
  if (!existsSync(command)) throw new Error("there is no dist/: run npm run build first");
  return inFolder(async (dir) => {
    const port = await freePort();
    const settings = [
      "server.workers=2",
      `server.http_addr=127.0.0.1:${port}`,
      `storage.dir=${join(dir, "data")}`,
    ].flatMap((pair) => ["--set", pair]);
    const started = performance.now();
    const child = spawn(process.execPath, [command, "dev", "--random-ports", ...settings], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    const ended = new Promise((resolve) => child.once("exit", resolve));
    await firstHealth(port);
    const health_ms = performance.now() - started;
    const cpu_ms = processorMs(child.pid!);
    await new Promise((resolve) => setTimeout(resolve, idleMs));
    const idle_mb = residentMegabytes(child.pid!);
    child.kill("SIGTERM");
    await ended;
    return { health_ms, cpu_ms, idle_mb };
  });
}

async function firstHealth(port: number): Promise<void> {
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** User and system time of all threads; the kernel counts hundredths of a second. */
function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function residentMegabytes(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) / 1_024;
}
