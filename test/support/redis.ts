import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "./eventually.ts";
import { freePort } from "./free-port.ts";

/** A real Redis on a free port of 127.0.0.1 that keeps nothing on disk. */
export class RedisServer {
  readonly #folder = mkdtempSync(join(tmpdir(), "switchyard-redis-"));
  #child: ChildProcess | undefined;
  #port = 0;

  get url(): string {
    return `redis://127.0.0.1:${this.#port}`;
  }

  /** Starts it again on its earlier port, if it had one. */
  async start(): Promise<void> {
    if (this.#port === 0) this.#port = await freePort();
    const options = { bind: "127.0.0.1", port: this.#port, save: "", appendonly: "no", dir: this.#folder };
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
    this.#child = spawn("redis-server", args, { stdio: "ignore" });
    await eventually("Redis answers", () => answers(this.#port));
  }

  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name);
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function answers(port: number): Promise<true | undefined> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    socket.write("PING\r\n");
    const [reply] = (await once(socket, "data")) as [Buffer];
    return reply.toString().startsWith("+PONG") || undefined;
  } catch {
    return undefined;
  } finally {
    socket.destroy();
  }
}
