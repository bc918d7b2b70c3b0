import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const root = path.resolve(import.meta.dirname, "../..");
const startWithinMs = 60_000;

/** The real service in a process of its own, over one folder that outlives it. */
export class Server {
  readonly #folder = mkdtempSync(path.join(tmpdir(), "switchyard-crash-"));
  readonly #settings: readonly string[];
  #process: ChildProcess | undefined;
  #url = "";
  #log = "";
  starts = 0;

  constructor(settings: readonly string[] = []) {
    this.#settings = settings;
  }

  get url(): string {
    return this.#url;
  }

  async start(): Promise<void> {
    const portsFile = path.join(this.#folder, `ports-${this.starts++}.json`);
    const settings = [`storage.dir=${path.join(this.#folder, "data")}`, "log.level=warn", ...this.#settings];
    const args = ["dist/cli/service.js", "dev", "--random-ports", "--ports-file", portsFile];
    const child = spawn(process.execPath, [...args, ...settings.flatMap((one) => ["--set", one])], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#process = child;
    for (const stream of [child.stdout!, child.stderr!])
      stream.on("data", (chunk: Buffer) => {
        this.#log = (this.#log + chunk.toString()).slice(-20_000);
      });
    const deadline = Date.now() + startWithinMs;
    while (!existsSync(portsFile) || readFileSync(portsFile, "utf8") === "") {
      if (child.exitCode !== null || Date.now() > deadline) throw new Error(`no start:\n${this.#log}`);
      await sleep(20);
    }
    this.#url = `http://127.0.0.1:${(JSON.parse(readFileSync(portsFile, "utf8")) as { http: number }).http}`;
  }

  /** At once, as a power cut would: no handler of ours runs. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** Asks it to finish; its exit code. */
  terminate(): Promise<number | null> {
    return this.#end("SIGTERM");
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #end(signal: "SIGKILL" | "SIGTERM"): Promise<number | null> {
    const child = this.#process;
    if (child === undefined) return null;
    this.#process = undefined;
    const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
    if (child.exitCode !== null) return child.exitCode;
    child.kill(signal);
    return exited;
  }
}
