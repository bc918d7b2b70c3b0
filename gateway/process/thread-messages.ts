import type { ThreadHealth } from "#runtime";
import type { AuditBatch } from "../audit/index.ts";
import type { Config } from "../config/index.ts";
import type { Ports } from "../doors/ports.ts";
import type { ProcessBounds } from "../doors/thread-bounds.ts";
import type { Keys } from "../key-ring/index.ts";
import type { Readiness } from "../ops/index.ts";
import type { Snapshot } from "../telemetry/index.ts";

/** What a worker is started with; the rest of its bootstrap belongs to the runtime. */
export interface WorkerApp {
  readonly config: Config;
  readonly keys: Keys | undefined;
  /** PEM. */
  readonly evidenceKey: string;
  /** Makes and knows the keys of sandbox tenants, in this process only. */
  readonly sandboxSecret: Uint8Array;
  readonly bounds: ProcessBounds;
}

/** From the main thread to a worker. */
export type ToWorker =
  | { readonly type: "open"; readonly ports: Ports }
  /** Without a value: the main thread could not find it out, and has logged why. */
  | { readonly type: "answer"; readonly id: number; readonly value: unknown }
  | { readonly type: "snapshot"; readonly id: number };

/** From a worker to the main thread. */
export type ToMain =
  | { readonly type: "opened"; readonly ports: Ports }
  | { readonly type: "failed"; readonly detail: string }
  | { readonly type: "ask"; readonly id: number; readonly what: keyof Questions }
  /** Without snapshots: the worker could not make them, and has logged why. */
  | { readonly type: "snapshot"; readonly id: number; readonly snapshots?: readonly Snapshot[] }
  | { readonly type: "health"; readonly health: ThreadHealth }
  | { readonly type: "audit"; readonly batch: AuditBatch };

/** What only the main thread knows. */
export interface Questions {
  readiness: Readiness;
  metrics: string;
}
