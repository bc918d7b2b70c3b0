import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export interface BenchService {
  readonly pid: number;
  readonly ports: Readonly<Record<"http" | "grpc" | "native" | "internal", number>>;
  /** The id of a new pool with this many recipients. */
  readonly createPool: (recipients: number, headers?: Record<string, string>) => Promise<string>;
  readonly stop: () => Promise<void>;
}

/** The built service on the embedded engine in `dir`, as `npm start` runs it: every answer waits for fdatasync. */
export async function startService(
  dir: string,
  settings: readonly string[] = [],
  nodeArgs: readonly string[] = [],
): Promise<BenchService> {
  build();
  const portsFile = join(dir, "ports.json");
  const args = [
    "dev",
    "--random-ports",
    "--ports-file",
    portsFile,
    "--set",
    `storage.dir=${join(dir, "data")}`,
    ...settings.flatMap((pair) => ["--set", pair]),
  ];
  const child = spawn(process.execPath, [...nodeArgs, "dist/cli/service.js", ...args], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  while (!existsSync(portsFile) || readFileSync(portsFile, "utf8") === "") {
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}`);
    await sleep(20);
  }
  const ports = JSON.parse(readFileSync(portsFile, "utf8"));
  return {
    pid: child.pid!,
    ports,
    createPool: (recipients, headers) => createPool(ports.http, recipients, headers),
    stop: () => stop(child),
  };
}

async function createPool(
  port: number,
  recipients: number,
  headers: Record<string, string> = {},
): Promise<string> {
  const pool = await post(port, "/api/pools", { name: "bench" }, headers);
  for (let i = 0; i < recipients; i++)
    await post(port, `/api/pools/${pool}/recipients`, { name: `r${i}`, weight: 1 + (i % 5) }, headers);
  return pool;
}

async function post(
  port: number,
  path: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  const { data } = (await response.json()) as { data?: { id: string } };
  if (!data) throw new Error(`${path} answered ${response.status}`);
  return data.id;
}

/** Production runs the compiler's output, not the loader's. */
function build(): void {
  if (process.env.BENCH_BUILT === "1") return;
  execFileSync("npm", ["run", "--silent", "build"], { stdio: ["ignore", "ignore", "inherit"] });
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.kill("SIGTERM");
  });
}
