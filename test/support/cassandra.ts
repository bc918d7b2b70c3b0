/**
 * Real Cassandra nodes for tests: one to three on 127.0.0.1, .2 and .3, each with free ports and a temporary folder.
 * The jars come from `.ci/cassandra-jars`. A node ends with the process that started it.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import cassandra from "cassandra-driver";
import type { CassandraSettings } from "#storage";
import {
  logback,
  type NodeConfiguration,
  nodeArguments,
  nodeYaml,
  toolArguments,
} from "./cassandra/arguments.ts";
import { freePort } from "./free-port.ts";
import { cassandraJars, javaPath } from "./parts.ts";

const startMsMax = 240_000;
const joinAttemptsMax = 3;

export interface CassandraOptions {
  readonly nodes?: 1 | 2 | 3;
  readonly commitlogSync?: "batch" | "periodic";
  readonly extra?: string;
  /** Present: the node requires it; also used to check whether the node is up. */
  readonly credentials?: { readonly username: string; readonly password: string };
  readonly tls?: CassandraSettings["tls"];
  /** True: nodetool can be used on it. */
  readonly nodetool?: boolean;
}

export interface CassandraCluster {
  readonly nodes: readonly CassandraNode[];
  readonly port: number;
  settings(keyspace: string): CassandraSettings;
  stop(): Promise<void>;
}

export async function startCassandraNodes(options: CassandraOptions = {}): Promise<CassandraCluster> {
  const count = options.nodes ?? 1;
  const shared = {
    clusterName: "test",
    seed: "127.0.0.1",
    storagePort: await freePort(),
    nativePort: await freePort(),
    commitlogSync: options.commitlogSync ?? "batch",
    ...(options.extra === undefined ? {} : { extra: options.extra }),
    ...(options.nodetool && { managementPort: await freePort() }),
  } as const;
  const folder = await mkdtemp(join(tmpdir(), "switchyard-cassandra-"));
  const nodes = Array.from(
    { length: count },
    (_, index) =>
      new CassandraNode(
        join(folder, `node-${index}`),
        { ...shared, address: `127.0.0.${index + 1}` },
        options,
      ),
  );
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.kill()));
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    // One after the other: a node can only join when no other is joining.
    for (const node of nodes) await node.join();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    nodes,
    port: shared.nativePort,
    settings: (keyspace) => ({
      contactPoints: nodes.map((node) => `${node.configuration.address}:${shared.nativePort}`),
      keyspace,
      localDataCenter: "datacenter1",
      replicationFactor: count,
      ...options.credentials,
      ...(options.tls === undefined ? {} : { tls: options.tls }),
    }),
    stop,
  };
}

export class CassandraNode {
  readonly folder: string;
  readonly configuration: NodeConfiguration;
  readonly #options: CassandraOptions;
  #process: ChildProcess | undefined;

  constructor(folder: string, configuration: NodeConfiguration, options: CassandraOptions) {
    this.folder = folder;
    this.configuration = configuration;
    this.#options = options;
  }

  /**
   * The first start. On a busy machine a node may give up before it has found the ring: it tries again from nothing.
   */
  async join(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.start();
      } catch (error) {
        if (attempt === joinAttemptsMax || !String(error).includes("Unable to contact any seeds"))
          throw error;
        await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
      }
    }
  }

  /** Starts the process (again, with its data) and waits until it answers a query. */
  async start(): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    await writeFile(join(this.folder, "cassandra.yaml"), nodeYaml(this.folder, this.configuration));
    await writeFile(join(this.folder, "logback.xml"), logback);
    const log = openSync(this.log, "a");
    const command = [
      javaPath()!,
      ...nodeArguments(this.folder, cassandraJars()!, this.configuration.managementPort),
    ];
    if (hasSetpriv()) command.unshift("setpriv", "--pdeathsig", "KILL");
    const child = spawn(command[0]!, command.slice(1), { stdio: ["ignore", log, log], cwd: this.folder });
    this.#process = child;
    const killAtExit = () => child.kill("SIGKILL");
    process.once("exit", killAtExit);
    child.once("exit", () => process.off("exit", killAtExit));
    await this.#answers();
  }

  get log(): string {
    return join(this.folder, "out.log");
  }

  /** Ends it like a power cut: nothing is flushed. */
  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }

  /** Runs a nodetool command while the node runs; `nodetool` has to be set. */
  nodetool(...args: readonly string[]): void {
    const tool = toolArguments(this.folder, cassandraJars()!, this.configuration.managementPort!);
    execFileSync(javaPath()!, [...tool, ...args], { stdio: "pipe" });
  }

  pause(): void {
    this.#process?.kill("SIGSTOP");
  }

  resume(): void {
    this.#process?.kill("SIGCONT");
  }

  async #answers(): Promise<void> {
    const giveUp = performance.now() + startMsMax;
    for (;;) {
      if (this.#process?.exitCode !== null) throw new Error(`a Cassandra node ended:\n${this.#tail()}`);
      const outcome = await this.#query();
      if (outcome === "up") return;
      if (performance.now() > giveUp)
        throw new Error(`no answer from a Cassandra node: ${outcome}\n${this.#tail()}`);
      await sleep(250);
    }
  }

  async #query(): Promise<string> {
    const client = new cassandra.Client({
      contactPoints: [`${this.configuration.address}:${this.configuration.nativePort}`],
      protocolOptions: {
        port: this.configuration.nativePort,
        maxVersion: cassandra.types.protocolVersion.v4,
      },
      localDataCenter: "datacenter1",
      socketOptions: { connectTimeout: 2_000, readTimeout: 5_000 },
      ...(this.#options.credentials === undefined ? {} : { credentials: this.#options.credentials }),
      ...(this.#options.tls === undefined ? {} : { sslOptions: tlsOptions(this.#options.tls) }),
    });
    try {
      await client.connect();
      await client.execute("SELECT key FROM system.local");
      return "up";
    } catch (error) {
      return String(error);
    } finally {
      await client.shutdown().catch(() => undefined);
    }
  }

  #tail(): string {
    return readFileSync(this.log, "utf8").split("\n").slice(-40).join("\n");
  }
}

function tlsOptions({ caFile, certFile, keyFile }: NonNullable<CassandraSettings["tls"]>) {
  return {
    ...(caFile === undefined ? {} : { ca: readFileSync(caFile) }),
    ...(certFile === undefined ? {} : { cert: readFileSync(certFile) }),
    ...(keyFile === undefined ? {} : { key: readFileSync(keyFile) }),
    rejectUnauthorized: true,
  };
}

function hasSetpriv(): boolean {
  try {
    execFileSync("setpriv", ["--pdeathsig", "KILL", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
