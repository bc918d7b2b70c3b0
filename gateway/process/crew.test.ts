import { EventEmitter } from "node:events";
import { mock } from "node:test";
import type { Worker } from "node:worker_threads";
import test from "ava";
import { limits } from "#base";
import { metricOf, single } from "../telemetry/index.ts";
import { Crew } from "./crew.ts";
import type { ToMain, ToWorker } from "./thread-messages.ts";

class FakeWorker extends EventEmitter {
  readonly told: ToWorker[] = [];
  postMessage(message: ToWorker): void {
    this.told.push(message);
  }
  say(message: ToMain): void {
    this.emit("message", message);
  }
}

function join(crew: Crew, number: number): FakeWorker {
  const worker = new FakeWorker();
  crew.join(worker as unknown as Worker, number);
  return worker;
}

const operations = { readiness: async () => "ready" as never, metrics: async () => "text" };

test("all workers open the port they share, and a replacement opens what its predecessor had", async (t) => {
  const crew = new Crew(operations, { http: 1 });
  const [first, second] = [join(crew, 0), join(crew, 1)];
  const opened = crew.open();
  t.deepEqual(first.told, [{ type: "open", ports: { http: 1 } }]);
  t.deepEqual(second.told, first.told);
  first.say({ type: "opened", ports: { http: 1, grpc: 2 } });
  second.say({ type: "opened", ports: { http: 1 } });
  await opened;
  t.deepEqual(crew.ports, { http: 1, grpc: 2 });
  first.emit("exit", 1);
  t.deepEqual(join(crew, 0).told, [{ type: "open", ports: { http: 1, grpc: 2 } }]);
});

test("a port that is yet to be found is found by the first worker, and the others open that one", async (t) => {
  const crew = new Crew(operations, {});
  const [first, second] = [join(crew, 0), join(crew, 1)];
  const opened = crew.open();
  t.deepEqual(first.told, [{ type: "open", ports: {} }]);
  t.deepEqual(second.told, []);
  first.say({ type: "opened", ports: { http: 5, grpc: 6 } });
  await new Promise((resolve) => setImmediate(resolve));
  t.deepEqual(second.told, [{ type: "open", ports: { http: 5, grpc: 6 } }]);
  second.say({ type: "opened", ports: { http: 5 } });
  await opened;
  t.deepEqual(crew.ports, { http: 5, grpc: 6 });
});

test("a worker that cannot open its doors stops the start, in its own words", async (t) => {
  const crew = new Crew(operations, {});
  const first = join(crew, 0);
  const opened = crew.open();
  first.say({ type: "failed", detail: "the address is in use" });
  await t.throwsAsync(opened, { message: "the address is in use" });
});

test("a worker that ends while the others open is replaced by one that opens too", async (t) => {
  const crew = new Crew(operations, { http: 1 });
  const [first, second] = [join(crew, 0), join(crew, 1)];
  const opened = crew.open();
  first.say({ type: "opened", ports: { http: 1, grpc: 2 } });
  first.emit("exit", 1);
  const replacement = join(crew, 0);
  t.deepEqual(replacement.told, []);
  second.say({ type: "opened", ports: { http: 1 } });
  await opened;
  t.deepEqual(replacement.told, [{ type: "open", ports: { http: 1, grpc: 2 } }]);
});

test("a worker that ends before its doors are open stops the start: no other would open them", async (t) => {
  const crew = new Crew(operations, { http: 1 });
  const [first, second] = [join(crew, 0), join(crew, 1)];
  const opened = crew.open();
  first.say({ type: "opened", ports: { http: 1 } });
  second.emit("exit", 1);
  await t.throwsAsync(opened, { message: "worker 1 ended before its doors were open" });
});

test("a replacement that cannot open its doors is told to try again, until it has or is gone", async (t) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  t.teardown(() => mock.timers.reset());
  const crew = new Crew(operations, { http: 1 });
  const first = join(crew, 0);
  const opened = crew.open();
  first.say({ type: "opened", ports: { http: 1 } });
  await opened;
  first.emit("exit", 1);
  const second = join(crew, 0);
  for (const times of [2, 3]) {
    second.say({ type: "failed", detail: "the address is in use" });
    t.is(second.told.length, times - 1);
    mock.timers.tick(limits.doorsRetryMs);
    t.is(second.told.length, times);
  }
  second.say({ type: "failed", detail: "the address is in use" });
  second.emit("exit", 1);
  mock.timers.tick(limits.doorsRetryMs);
  t.is(second.told.length, 3);
});

const answered = (thread: number, value: 0 | 1) => [
  metricOf("gauge", "service_thread_answered", [{ labels: { thread: String(thread) }, value }]),
];

test("metrics come from every worker that answers, and a silent one is named", async (t) => {
  const crew = new Crew(operations, {});
  const [first, silent] = [join(crew, 0), join(crew, 1)];
  const snapshots = crew.snapshots();
  const [asked] = first.told as [{ type: "snapshot"; id: number }];
  t.is(silent.told.length, 1);
  const snapshot = [single("counter", "a", 1)];
  first.say({ type: "snapshot", id: asked.id, snapshots: [snapshot] });
  t.deepEqual(await snapshots, [answered(0, 1), snapshot, answered(1, 0)]);
});

test("a worker that says it has no metrics is not waited for, and is named", async (t) => {
  const crew = new Crew(operations, {});
  const worker = join(crew, 0);
  const snapshots = crew.snapshots();
  const [asked] = worker.told as [{ type: "snapshot"; id: number }];
  worker.say({ type: "snapshot", id: asked.id });
  t.deepEqual(await snapshots, [answered(0, 0)]);
});

test("a question that fails in the main thread is answered all the same: the worker does not wait for ever", async (t) => {
  const failing = { ...operations, metrics: () => Promise.reject(new Error("no stats")) };
  const worker = join(new Crew(failing, {}), 0);
  worker.say({ type: "ask", id: 7, what: "metrics" });
  await new Promise((resolve) => setImmediate(resolve));
  t.deepEqual(worker.told, [{ type: "answer", id: 7, value: undefined }]);
});

test("what a worker says of its health is known until it ends", (t) => {
  const crew = new Crew(operations, {});
  const worker = join(crew, 0);
  const health = { clock: "behind", clockSeconds: 90, corruptShards: [3] } as const;
  worker.say({ type: "health", health });
  t.deepEqual(crew.health, [health]);
  worker.emit("exit", 1);
  t.deepEqual(crew.health, []);
});

test("a worker's question is answered by the main thread", async (t) => {
  const first = join(new Crew(operations, {}), 0);
  first.say({ type: "ask", id: 7, what: "metrics" });
  await new Promise((resolve) => setImmediate(resolve));
  t.deepEqual(first.told, [{ type: "answer", id: 7, value: "text" }]);
});
