/** The smallest worker: a runtime over the test entities, driven by messages from the test. */
import { parentPort, workerData } from "node:worker_threads";
import { startWorkerRuntime } from "../../../runtime/workers/worker.ts";
import { cover, type NotebookCommand, notebook } from "./notebook.ts";

/** Ask number, key of the notebook, what to do, idempotency key. */
export type WorkerOrder =
  | {
      readonly type: "ask";
      readonly id: number;
      readonly key: string;
      readonly command: NotebookCommand;
      readonly once?: string;
    }
  | { readonly type: "block"; readonly ms: number }
  | { readonly type: "throw" }
  | { readonly type: "subscribe" };

const runtime = await startWorkerRuntime(workerData, [notebook, cover]);
const port = parentPort!;
runtime.onClose(() => port.close());
runtime.onBroadcast((topic, payload) => port.postMessage({ broadcast: { topic, payload } }));

port.on("message", (order: WorkerOrder) => {
  switch (order.type) {
    case "ask":
      runtime.post(
        {
          to: { kind: "notebook", tenant: "t", key: order.key },
          method: "Notebook.Do",
          request: { command: order.command },
          caller: {
            tenant: "t",
            subject: "test",
            owner: "test",
            principalKind: "user",
            requestId: String(order.id),
            environmentMode: "any",
            platform: false,
          },
          deadlineMs: Date.now() + 30_000,
          ...(order.once === undefined ? {} : { idempotency: { scope: order.once, fingerprint: "f" } }),
        },
        (answer) => port.postMessage({ id: order.id, answer }),
      );
      return;
    case "block": {
      const until = Date.now() + order.ms;
      while (Date.now() < until);
      return;
    }
    case "throw":
      throw new Error("the worker was told to throw");
    case "subscribe":
      void (async () => {
        const from = { tenant: "t", cursor: new Map() };
        for await (const { events } of runtime.subscribe(from, new AbortController().signal))
          for (const event of events) port.postMessage({ event });
      })();
  }
});
port.postMessage({ ready: runtime.worker });
