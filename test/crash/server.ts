import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { sourceArguments } from "../support/typescript/arguments.ts";
import type { Order } from "./faulty.ts";

const root = path.resolve(import.meta.dirname, "../..");
/** On a busy machine a start takes a minute. */
const startWithinMs = 240_000;
const plain = ["dist/cli/service.js"];
/** Accepts orders to break a thread. */
const faulty = [sourceArguments[0]!, fileURLToPath(new URL("./faulty.ts", import.meta.url))];

/** Where a server runs: the beginning of its command line, and the address for its listeners. */
export interface Place {
  readonly command: readonly string[];
  readonly address: string;
}

/** The real service in its own process, over one folder that outlives it. */
export class Server {
  readonly #folder = mkdtempSync(path.join(tmpdir(), "switchyard-crash-"));
  readonly #settings: readonly string[];
  readonly #entry: readonly string[];
  readonly #environment: Readonly<Record<string, string>>;
  readonly #place: Place;
  #process: ChildProcess | undefined;
  #ports: Readonly<Record<string, number>> = {};
  #log = "";
  starts = 0;
  /** Gets all of its output. */
  heard: (text: string) => void = () => {};

  constructor(
    settings: readonly string[] = [],
    takesOrders = false,
    environment: Readonly<Record<string, string>> = {},
    place: Place = { command: [], address: "127.0.0.1" },
  ) {
    this.#place = place;
    this.#settings = settings;
    this.#environment = environment;
    this.#entry = takesOrders ? faulty : plain;
  }

  get url(): string {
    return `http://${this.#place.address}:${this.#ports.http}`;
  }

  /** The folder below which it writes everything. */
  get folder(): string {
    return this.#folder;
  }

  /** The internal plane, which the first thread always serves. */
  get internalUrl(): string {
    return `http://${this.#place.address}:${this.#ports.internal}`;
  }

  /** Ports by listener: http, grpc, native, internal, metrics. */
  get ports(): Readonly<Record<string, number>> {
    return this.#ports;
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  /** Null while it runs; then its exit code, or the signal that ended it. */
  get ended(): number | string | null {
    return this.#process?.exitCode ?? this.#process?.signalCode ?? null;
  }

  /** The end of its output. */
  get log(): string {
    return this.#log;
  }

  order(order: Order): void {
    this.#process!.send(order);
  }

  /** `more`: settings for this start only. */
  async start(more: readonly string[] = []): Promise<void> {
    const portsFile = path.join(this.#folder, `ports-${this.starts++}.json`);
    const settings = [
      `storage.dir=${path.join(this.#folder, "data")}`,
      "log.level=warn",
      // Two threads even on few cores: then threads hand requests over.
      "server.workers=2",
      ...this.#settings,
      ...more,
    ];
    const args = [...this.#entry, "dev", "--random-ports", "--ports-file", portsFile];
    const [program = process.execPath, ...before] = [...this.#place.command, process.execPath];
    const child = spawn(program, [...before, ...args, ...settings.flatMap((one) => ["--set", one])], {
      cwd: root,
      env: { ...process.env, ...this.#environment },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    this.#process = child;
    for (const stream of [child.stdout!, child.stderr!])
      stream.on("data", (chunk: Buffer) => {
        this.heard(chunk.toString());
        this.#log = (this.#log + chunk.toString()).slice(-20_000);
      });
    const deadline = Date.now() + startWithinMs;
    while (!existsSync(portsFile) || readFileSync(portsFile, "utf8") === "") {
      if (child.exitCode !== null || Date.now() > deadline) throw new Error(`no start:\n${this.#log}`);
      await sleep(20);
    }
    this.#ports = JSON.parse(readFileSync(portsFile, "utf8")) as Record<string, number>;
  }

  /** Ends it at once, like a power cut: no handler of ours runs. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** Tells it to finish; returns its exit code. */
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
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    child.kill(signal);
    return exited;
  }
}
