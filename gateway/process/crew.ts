import type { Worker } from "node:worker_threads";
import { limits } from "#base";
import type { Logger, ThreadHealth } from "#runtime";
import type { AuditLog } from "../audit/index.ts";
import type { Ports } from "../doors/ports.ts";
import type { Operations } from "../ops/index.ts";
import { readinessTimeoutMs } from "../ops/index.ts";
import { metricOf, type Snapshot } from "../telemetry/index.ts";
import type { ToMain, ToWorker } from "./thread-messages.ts";

/**
 * The workers as the main thread talks with them. All open the same HTTP port; the ports that the first one finds for its
 * other doors are opened again by its successor.
 */
export class Crew {
  readonly #operations: Operations;
  readonly #workers = new Map<number, Worker>();
  readonly #snapshots = new Map<number, (snapshots: readonly Snapshot[] | undefined) => void>();
  readonly #health = new Map<number, ThreadHealth>();
  readonly #waiting = new Map<number, { resolve: () => void; reject: (error: Error) => void }>();
  readonly #log: Logger | undefined;
  readonly #audit: Pick<AuditLog, "add"> | undefined;
  #ports: Ports;
  #lastSnapshot = 0;
  readonly #told = new Set<Worker>();
  #hasOpened = false;

  constructor(operations: Operations, ports: Ports, log?: Logger, audit?: Pick<AuditLog, "add">) {
    this.#operations = operations;
    this.#ports = ports;
    this.#log = log;
    this.#audit = audit;
  }

  get ports(): Ports {
    return this.#ports;
  }

  /** Called for every worker that is started, replacements too. */
  join(worker: Worker, number: number): void {
    this.#workers.set(number, worker);
    worker.on("message", (message: ToMain) => this.#hear(worker, number, message));
    worker.on("exit", () => {
      if (this.#workers.get(number) !== worker) return;
      this.#workers.delete(number);
      this.#health.delete(number);
      this.#told.delete(worker);
      this.#waiting.get(number)?.reject(new Error(`worker ${number} ended before its doors were open`));
    });
    // This one replaces another.
    if (this.#hasOpened) this.#tellToOpen(worker);
  }

  /** `ports`: of listeners that the main thread has. */
  async open(ports: Ports = {}): Promise<void> {
    this.#ports = { ...this.#ports, ...ports };
    const numbers = [...this.#workers.keys()];
    // A port that all are to share is not known yet: the first one finds it.
    if (this.#ports.http === undefined) await this.#openOne(numbers.shift()!);
    await Promise.all(numbers.map((number) => this.#openOne(number)));
    this.#hasOpened = true;
    // Those that replaced one of the first in the meantime.
    for (const worker of this.#workers.values()) if (!this.#told.has(worker)) this.#tellToOpen(worker);
  }

  /** What the workers last said of themselves. */
  get health(): readonly ThreadHealth[] {
    return [...this.#health.values()];
  }

  /** Metrics of every worker that answers in time, and for each whether it did. */
  async snapshots(): Promise<readonly Snapshot[]> {
    const asked = [...this.#workers].map(async ([number, worker]) => {
      const snapshots = await this.#snapshotsOf(worker);
      if (snapshots === undefined) this.#log?.warn({ thread: number }, "a thread gave no stats for /metrics");
      const answered = { labels: { thread: String(number) }, value: snapshots === undefined ? 0 : 1 };
      return [[metricOf("gauge", "service_thread_answered", [answered])], ...(snapshots ?? [])];
    });
    return (await Promise.all(asked)).flat();
  }

  #snapshotsOf(worker: Worker): Promise<readonly Snapshot[] | undefined> {
    const id = ++this.#lastSnapshot;
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#snapshots.get(id)?.(undefined), readinessTimeoutMs);
      this.#snapshots.set(id, (snapshots) => {
        clearTimeout(timer);
        this.#snapshots.delete(id);
        resolve(snapshots);
      });
      this.#tell(worker, { type: "snapshot", id });
    });
  }

  #openOne(number: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const worker = this.#workers.get(number);
      if (worker === undefined) return reject(new Error(`worker ${number} ended before its doors were open`));
      this.#waiting.set(number, { resolve, reject });
      this.#tellToOpen(worker);
    });
  }

  #tellToOpen(worker: Worker): void {
    this.#told.add(worker);
    this.#tell(worker, { type: "open", ports: this.#ports });
  }

  /** A replacement found a port taken, and has said so in the log: its shards answer through the others until it is free. */
  #openLater(worker: Worker, number: number): void {
    setTimeout(() => {
      if (this.#workers.get(number) === worker) this.#tellToOpen(worker);
    }, limits.doorsRetryMs).unref();
  }

  #hear(worker: Worker, number: number, message: ToMain): void {
    switch (message.type) {
      case "opened":
        this.#ports = { ...message.ports, ...this.#ports };
        this.#waiting.get(number)?.resolve();
        this.#waiting.delete(number);
        return;
      case "failed":
        if (!this.#hasOpened) this.#waiting.get(number)?.reject(new Error(message.detail));
        else this.#openLater(worker, number);
        return;
      case "ask":
        this.#operations[message.what]()
          .catch((error: unknown) => {
            this.#log?.error(
              { err: error, what: message.what },
              "a question of a worker could not be answered",
            );
            return undefined;
          })
          .then((value) => this.#tell(worker, { type: "answer", id: message.id, value }));
        return;
      case "snapshot":
        this.#snapshots.get(message.id)?.(message.snapshots);
        return;
      case "audit":
        this.#audit?.add(message.batch);
        return;
      case "health":
        if (this.#workers.get(number) === worker) this.#health.set(number, message.health);
        return;
    }
  }

  #tell(worker: Worker, message: ToWorker): void {
    worker.postMessage(message);
  }
}
