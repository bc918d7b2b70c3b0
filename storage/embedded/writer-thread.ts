import { once } from "node:events";
import type { MessagePort, Worker } from "node:worker_threads";
import { StorageError } from "../error.ts";
import { stopProcess } from "./durable.ts";
import type { Status } from "./status.ts";
import type { TablesCheck } from "./tables-check.ts";
import { startThread } from "./thread.ts";
import type { Totals } from "./totals.ts";

export interface WriterData {
  readonly path: string;
  readonly status: SharedArrayBuffer;
  /** As they were read from the tables before the thread starts. */
  readonly watermarks: Float64Array;
  readonly totals: Pick<Totals, "counts" | "keys" | "sums">;
}

/** What the thread does for workers. */
export interface TablesWriter {
  /** The buffer is an encoded flush. */
  write(flush: ArrayBuffer): Promise<void>;
}

export type WriterMessage =
  | { readonly type: "client"; readonly port: MessagePort }
  | { readonly type: "close" };

/** The host's side of the tables writer. */
export class WriterThread {
  readonly #worker: Worker;
  #closing = false;

  private constructor(worker: Worker) {
    this.#worker = worker;
    worker.on("error", (error) => stopProcess(`the tables writer failed: ${error.message}`));
    worker.on("exit", () => {
      if (!this.#closing) stopProcess("the tables writer ended");
    });
    worker.unref();
  }

  static async start(path: string, status: Status, found: TablesCheck): Promise<WriterThread> {
    const { watermarks, totals } = found;
    const worker = startThread(new URL("./tables-writer.ts", import.meta.url), {
      name: "tables-writer",
      workerData: { path, status: status.buffer, watermarks, totals } satisfies WriterData,
    });
    const failed = new Promise<never>((_, reject) => {
      // The tables were checked for corruption before. What can fail here is, for example, too many open files.
      worker.once("error", (error) =>
        reject(new StorageError("unavailable", `the writer of the tables cannot start: ${error.message}`)),
      );
    });
    // Its first message says that it is ready.
    await Promise.race([once(worker, "message"), failed]);
    worker.removeAllListeners("error");
    return new WriterThread(worker);
  }

  addClient(port: MessagePort): void {
    this.#worker.postMessage({ type: "client", port } satisfies WriterMessage, [port]);
  }

  /** Waits for the last transaction and for the end of the thread. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#worker.ref();
    const ended = once(this.#worker, "exit");
    this.#worker.postMessage({ type: "close" } satisfies WriterMessage);
    await ended;
  }
}
