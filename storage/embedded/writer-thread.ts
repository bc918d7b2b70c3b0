import { once } from "node:events";
import type { MessagePort, Worker } from "node:worker_threads";
import { StorageError } from "../error.ts";
import { asError, type ToldError } from "../port.ts";
import { stopProcess } from "./durable.ts";
import type { Status } from "./status.ts";
import { startThread } from "./thread.ts";

export interface WriterData {
  readonly path: string;
  readonly status: SharedArrayBuffer;
}

export type WriterMessage =
  | { readonly type: "client"; readonly port: MessagePort }
  | { readonly type: "close" };

/** The thread's first message. After an error it waits to be closed: a thread that throws ends the process. */
export type WriterReady = { readonly watermarks: Float64Array } | { readonly error: ToldError };

/** The host's side of the tables writer. */
export class WriterThread {
  readonly #worker: Worker;
  readonly watermarks: Float64Array;
  #closing = false;

  private constructor(worker: Worker, watermarks: Float64Array) {
    this.#worker = worker;
    this.watermarks = watermarks;
    worker.on("error", (error) => stopProcess(`the tables writer failed: ${error.message}`));
    worker.on("exit", () => {
      if (!this.#closing) stopProcess("the tables writer ended");
    });
    worker.unref();
  }

  static async start(path: string, status: Status): Promise<WriterThread> {
    const worker = startThread(new URL("./tables-writer.ts", import.meta.url), {
      name: "tables-writer",
      workerData: { path, status: status.buffer } satisfies WriterData,
    });
    const failed = new Promise<never>((_, reject) => {
      // The tables were checked for damage before. What can fail here is, for example, too many open files.
      worker.once("error", (error) =>
        reject(new StorageError("unavailable", `the writer of the tables cannot start: ${error.message}`)),
      );
    });
    const [ready] = (await Promise.race([once(worker, "message"), failed])) as [WriterReady];
    worker.removeAllListeners("error");
    if ("watermarks" in ready) return new WriterThread(worker, ready.watermarks);
    await new WriterThread(worker, new Float64Array()).close();
    throw asError(ready.error);
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
