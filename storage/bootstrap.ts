import type { MessagePort } from "node:worker_threads";
import type { CassandraSettings } from "./settings.ts";

/** What a worker gets from the host of its engine: structured-cloneable, with ports to transfer. */
export type BootstrapData = MemoryBootstrap | EmbeddedBootstrap | CassandraBootstrap;

export interface MemoryBootstrap {
  readonly engine: "memory";
  readonly port: MessagePort;
}

export interface EmbeddedBootstrap {
  readonly engine: "embedded";
  readonly dir: string;
  readonly control: MessagePort;
  readonly writer: MessagePort;
  readonly fence: { readonly base: number; readonly buffer: SharedArrayBuffer };
  readonly status: SharedArrayBuffer;
}

export interface CassandraBootstrap {
  readonly engine: "cassandra";
  readonly settings: CassandraSettings;
  /** Number of workers that have a bootstrap. The node's conditional writes are divided among them. */
  readonly bootstrapCount: Int32Array;
  /** The newest format that this process may write. */
  readonly usedFormat: Int32Array;
}
