/** The bare loop for comparison: objects of the same content, all of one turn in one post, by structured clone. */
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { counterAsk } from "./counter.ts";

interface Order {
  readonly port: MessagePort;
  readonly asks: boolean;
  readonly inFlight: number;
  readonly seconds: number;
}

const { port, asks, inFlight, seconds } = workerData as Order;
let outgoing: unknown[] = [];
let scheduled = false;
const send = (item: unknown) => {
  outgoing.push(item);
  if (scheduled) return;
  scheduled = true;
  setImmediate(() => {
    scheduled = false;
    const batch = outgoing;
    outgoing = [];
    port.postMessage(batch);
  });
};

if (asks) {
  let answered = 0;
  const requests = Array.from({ length: 500 }, (_, i) => counterAsk("Counter.Read", `counter-${i}`));
  port.on("message", (batch: { id: number }[]) => {
    for (const { id } of batch) {
      answered++;
      send({ id, ask: requests[answered % 500] });
    }
  });
  for (let id = 0; id < inFlight; id++) send({ id, ask: requests[id % 500] });
  setTimeout(() => {
    const begin = performance.now();
    const before = answered;
    setTimeout(() => {
      parentPort!.postMessage({ per_s: ((answered - before) / (performance.now() - begin)) * 1_000 });
    }, seconds * 1_000);
  }, 1_500);
} else {
  port.on("message", (batch: { id: number }[]) => {
    for (const { id } of batch) send({ id, answer: { response: { count: id }, replayed: false } });
  });
}
