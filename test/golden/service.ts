import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export type Message = Record<string, unknown>;

export interface Service {
  /** Its `data`, or the whole answer if it has none. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Message>;
  readonly log: () => string;
  end(signal: NodeJS.Signals): Promise<void>;
}

/** A service of any release in its own process, on free ports, over this folder. `at`: the time of its clock. */
export async function startService(command: readonly string[], dir: string, at?: number): Promise<Service> {
  const portsFile = `${dir}.ports.json`;
  rmSync(portsFile, { force: true });
  const set = [`storage.dir=${dir}`, "server.workers=1", "log.level=warn"].flatMap((one) => ["--set", one]);
  const clock = new URL("./clock.mjs", import.meta.url).href;
  const child = spawn(
    process.execPath,
    [...command, "dev", "--random-ports", "--ports-file", portsFile, ...set],
    {
      cwd: join(import.meta.dirname, "../.."),
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...process.env,
        ...(at && { NODE_OPTIONS: `--import=${clock}`, GOLDEN_SHIFT_MS: String(at - Date.now()) }),
      },
    },
  );
  let log = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      log += chunk.toString();
    });
  while (!existsSync(portsFile) || readFileSync(portsFile, "utf8") === "") {
    if (isOver(child)) throw new Error(`the service did not start:\n${log}`);
    await sleep(20);
  }
  const { http } = JSON.parse(readFileSync(portsFile, "utf8")) as { http: number };
  return {
    log: () => log,
    async call(method, path, body, headers = {}) {
      const response = await fetch(`http://127.0.0.1:${http}${path}`, {
        method,
        headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const answer = (await response.json()) as Message;
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
      return (answer.data ?? answer) as Message;
    },
    async end(signal) {
      if (isOver(child)) return;
      const exited = once(child, "exit");
      child.kill(signal);
      await exited;
      rmSync(portsFile, { force: true });
    },
  };
}

function isOver(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
