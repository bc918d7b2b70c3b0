import type { Session } from "node:inspector";
import type { Worker } from "node:worker_threads";

/**
 * Frees a thread whose loop stands still, so that it can be terminated. Terminating it as it is would bring the whole
 * process down in two cases: it has a listener of uWebSockets.js open, or it is inside a callback of uWebSockets.js, whose
 * native code aborts while V8 is terminating. So the inspector acts first, in the middle of whatever the thread is doing:
 * it runs the hook below, which closes the doors, and then breaks off the running JavaScript. After that V8 goes on as
 * usual, native code returns, and the loop turns. The inspector is loaded and connected, within this process only, when a
 * thread is stuck and not before.
 */
export async function freeStuck(worker: Worker): Promise<void> {
  const { Session } = await import("node:inspector");
  const session = new Session();
  session.connect();
  let timer: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      timer = setTimeout(() => reject(new Error("its JavaScript could not be broken off")), freeMsMax);
      breakOff(session, worker.threadId, resolve);
    });
  } finally {
    clearTimeout(timer);
    session.disconnect();
  }
}

/** In the worker: what `freeStuck` runs. Of `close` only what happens before its first await is done. */
export function whenStuck(close: () => void): void {
  const free = () => {
    leaveAsyncChecks();
    close();
  };
  Object.defineProperty(globalThis, hook, { value: free });
}

/**
 * Node ends the process when a callback returns with other async ids on its stack than it was entered with, as one that is
 * broken off may. There is a flag against that for a whole process and none for a thread that is about to end.
 */
function leaveAsyncChecks(): void {
  const { binding } = process as unknown as { binding: (name: string) => AsyncWrap };
  const { async_hook_fields: fields, constants } = binding("async_wrap");
  fields[constants.kCheck] = 0;
}

interface AsyncWrap {
  readonly async_hook_fields: Uint32Array;
  readonly constants: { readonly kCheck: number };
}

const hook = Symbol.for("service.stuck");
const expression = 'globalThis[Symbol.for("service.stuck")]()';
/** Below the time after which the supervisor ends the process. */
const freeMsMax = 3_000;

function breakOff(session: Session, threadId: number, done: () => void): void {
  session.on("NodeWorker.attachedToWorker", ({ params: { sessionId, workerInfo } }) => {
    // The id in here is the inspector's own; only the title has the thread's.
    if (!workerInfo.title.startsWith(`[worker ${threadId}]`)) return;
    const send = (id: number, method: string, params = {}) =>
      session.post("NodeWorker.sendMessageToWorker", {
        sessionId,
        message: JSON.stringify({ id, method, params }),
      });
    session.on("NodeWorker.receivedMessageFromWorker", ({ params }) => {
      if (params.sessionId !== sessionId) return;
      const { id } = JSON.parse(params.message) as { id?: number };
      if (id === 1) send(2, "Runtime.terminateExecution");
      // Told when the JavaScript has been left.
      if (id === 2) done();
    });
    send(1, "Runtime.evaluate", { expression });
  });
  session.post("NodeWorker.enable", { waitForDebuggerOnStart: false });
}
