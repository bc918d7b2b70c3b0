import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../support/eventually.ts";

const root = new URL("../..", import.meta.url).pathname;

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built command and waits for its end. */
export function runService(
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<Finished> {
  const child = spawnService(args, environment);
  return finished(child);
}

export interface RunningService {
  readonly pid: number;
  readonly ports: Readonly<Record<"http" | "grpc" | "native" | "internal" | "metrics", number>>;
  readonly ended: Promise<Finished>;
  signal(name: NodeJS.Signals): void;
}

/** `service dev` on free ports in a new folder; folder and process are removed after the test. */
export async function startDev(
  t: { teardown(fn: () => void | Promise<void>): void },
  args: readonly string[] = [],
  environment: Record<string, string> = {},
  node = process.execPath,
): Promise<RunningService> {
  const folder = mkdtempSync(join(tmpdir(), "service-"));
  const portsFile = join(folder, "ports.json");
  const child = spawnService(
    ["dev", "--random-ports", "--ports-file", portsFile, "--set", `storage.dir=${folder}/data`, ...args],
    environment,
    node,
  );
  const ended = finished(child);
  t.teardown(async () => {
    child.kill("SIGKILL");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  let over: Finished | undefined;
  ended
    .then((result) => {
      over = result;
    })
    .catch(() => undefined);
  await eventually("the service has started", () => {
    if (over !== undefined) throw new Error(`the service ended with ${over.code}: ${over.stderr}`);
    return (existsSync(portsFile) && readFileSync(portsFile, "utf8") !== "") || undefined;
  });
  return {
    pid: child.pid!,
    ports: JSON.parse(readFileSync(portsFile, "utf8")),
    ended,
    signal: (name) => void child.kill(name),
  };
}

/** `service start` on free ports in a new folder, with these settings. Resolves when it says that it is ready. */
export async function startProduction(
  t: { teardown(fn: () => void | Promise<void>): void },
  settings: readonly string[],
  environment: Record<string, string> = {},
): Promise<RunningService & { readonly folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), "service-"));
  const listeners = ["server.http_addr", "server.grpc_addr", "api.addr", "server.internal_addr"];
  const own = [...listeners, "server.metrics_addr"].map((key) => `${key}=127.0.0.1:0`);
  const set = [...own, `storage.dir=${folder}/data`, ...settings].flatMap((pair) => ["--set", pair]);
  const child = spawnService(["start", ...set], environment);
  const ended = finished(child);
  t.teardown(async () => {
    child.kill("SIGKILL");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  const ready = await new Promise<string>((resolve, reject) => {
    let told = "";
    child.stdout?.on("data", (text: string) => {
      told += text;
      // The audit log may share this output.
      const line = told.split("\n").find((one) => one.startsWith('{"ready":true'));
      if (line !== undefined && told.endsWith("\n")) resolve(line);
    });
    ended.then(({ code, stderr }) => reject(new Error(`it ended with ${code}: ${stderr}`))).catch(reject);
  });
  const { ports } = JSON.parse(ready) as { ports: RunningService["ports"] };
  return { pid: child.pid!, ports, ended, folder, signal: (name) => void child.kill(name) };
}

function spawnService(
  args: readonly string[],
  environment: Record<string, string> = {},
  node = process.execPath,
): ChildProcess {
  return spawn(node, ["dist/cli/service.js", ...args], {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

function finished(child: ChildProcess): Promise<Finished> {
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}
