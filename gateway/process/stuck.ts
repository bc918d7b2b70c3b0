import type { Session } from "node:inspector";
import type { Worker } from "node:worker_threads";

/**
 * uWebSockets.js brings the whole process down if a thread ends with its listener open, and a thread that stands still
 * cannot be told to close it. The inspector can: what it evaluates runs in the middle of whatever the thread is doing.
 * It is loaded and connected, within this process only, when a thread is stuck and not before.
 */
export async function closeDoorsOf(worker: Worker): Promise<void> {
  const { Session } = await import("node:inspector");
  const session = new Session();
  session.connect();
  let timer: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      timer = setTimeout(() => reject(new Error("its doors could not be closed")), closeMsMax);
      evaluateIn(session, worker.threadId, resolve);
    });
  } finally {
    clearTimeout(timer);
    session.disconnect();
  }
}

/** In the worker: what `closeDoorsOf` runs. Only what happens before its first await is done. */
export function whenStuck(close: () => void): void {
  Object.defineProperty(globalThis, hook, { value: close });
}

const hook = Symbol.for("service.stuck");
const expression = 'globalThis[Symbol.for("service.stuck")]()';
const closeMsMax = 2_000;

function evaluateIn(session: Session, threadId: number, done: () => void): void {
  session.on("NodeWorker.attachedToWorker", ({ params: { sessionId, workerInfo } }) => {
    // The id in here is the inspector's own; only the title has the thread's.
    if (!workerInfo.title.startsWith(`[worker ${threadId}]`)) return;
    const message = JSON.stringify({ id: 1, method: "Runtime.evaluate", params: { expression } });
    session.post("NodeWorker.sendMessageToWorker", { sessionId, message });
  });
  session.on("NodeWorker.receivedMessageFromWorker", ({ params }) => {
    if (!params.message.includes("exceptionDetails")) done();
  });
  session.post("NodeWorker.enable", { waitForDebuggerOnStart: false });
}
