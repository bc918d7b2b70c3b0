import { once } from "node:events";
import { Worker } from "node:worker_threads";
import test from "ava";
import { freeStuck } from "./stuck.ts";

/** Where a thread may be when it comes to stand still: what Node has begun there is left in the middle. */
const places: Readonly<Record<string, string>> = {
  "an immediate": "setImmediate(loop);",
  "a timer": "setTimeout(loop, 1);",
  "a tick": "setTimeout(() => process.nextTick(loop), 1);",
  "a microtask": "setTimeout(() => queueMicrotask(loop), 1);",
  "a request of HTTP/1.1": `
    const server = http.createServer((request) => request.on("data", loop));
    server.listen(0, "127.0.0.1", () => {
      http.request({ port: server.address().port, method: "POST" }).end("body");
    });`,
  "a request of HTTP/2": `
    const server = http2.createServer((request) => request.on("data", loop));
    server.listen(0, "127.0.0.1", () => {
      const client = http2.connect("http://127.0.0.1:" + server.address().port);
      client.request({ ":method": "POST" }).end("body");
    });`,
};

for (const [place, code] of Object.entries(places))
  test.serial(
    `a thread stuck in ${place} closes its doors, is freed and ends, and the process goes on`,
    async (t) => {
      const worker = new Worker(threadStuckIn(code));
      await once(worker, "message");
      const told: unknown[] = [];
      worker.on("message", (message) => told.push(message));
      await freeStuck(worker);
      await worker.terminate();
      t.deepEqual(told, ["closed"]);
    },
  );

function threadStuckIn(code: string): URL {
  const loader = JSON.stringify(import.meta.resolve("tsx/esm/api"));
  const stuck = JSON.stringify(new URL("./stuck.ts", import.meta.url).href);
  const module = `
    import { register } from ${loader};
    import http from "node:http";
    import http2 from "node:http2";
    import { parentPort } from "node:worker_threads";
    register();
    const { whenStuck } = await import(${stuck});
    whenStuck(() => parentPort.postMessage("closed"));
    const loop = () => {
      parentPort.postMessage("stuck");
      for (;;);
    };
    ${code}`;
  return new URL(`data:text/javascript,${encodeURIComponent(module)}`);
}
