// How close do asks between threads come to a bare loop that posts the same objects in batches?
import { MessageChannel } from "node:worker_threads";
import { superviseWorkers } from "#runtime";
import { startStorage } from "#storage";
import { startThread } from "../runtime/workers/start-thread.ts";
import { defineBench, type Stats } from "./support/bench.ts";
import { inFolder } from "./support/folder.ts";

const inFlight = 1_024;
const seconds = 4;

export default defineBench({
  question: "How close do asks between threads come to a bare loop that posts the same objects in batches?",
  contenders: { runtime, bare },
  rounds: 5,
  bars: [{ figure: "per_s", contender: "runtime", against: "bare", atLeast: 0.6 }],
});

function runtime(): Promise<Stats> {
  return inFolder(async (dir) => {
    const storageHost = await startStorage({ engine: "embedded", dir });
    let resolve = (_: Stats) => {};
    const stats = new Promise<Stats>((done) => {
      resolve = done;
    });
    const supervisor = await superviseWorkers({
      count: 2,
      workerUrl: new URL("./support/ask-worker.ts", import.meta.url),
      workerData: { inFlight, seconds },
      storageHost,
      onWorker: (worker) => void worker.on("message", (found: Stats) => resolve(found)),
    });
    const result = await stats;
    await supervisor.drain();
    await storageHost.close();
    return result;
  });
}

async function bare(): Promise<Stats> {
  const { port1, port2 } = new MessageChannel();
  const module = new URL("./support/raw-port-worker.ts", import.meta.url);
  const answering = startThread(module, {
    workerData: { port: port2, asks: false, inFlight, seconds },
    transferList: [port2],
  });
  const asking = startThread(module, {
    workerData: { port: port1, asks: true, inFlight, seconds },
    transferList: [port1],
  });
  const stats = await new Promise<Stats>((resolve) => asking.once("message", resolve));
  await Promise.all([asking.terminate(), answering.terminate()]);
  return stats;
}
