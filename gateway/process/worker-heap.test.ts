import test from "ava";
import { limits } from "#base";
import { workerHeapMegabytes } from "./worker-heap.ts";

const gibibyte = 1_024 ** 3;

test("the heaps of all workers are at most half of the memory", (t) => {
  t.is(workerHeapMegabytes(2, gibibyte), 256);
  t.is(workerHeapMegabytes(1, gibibyte), 512);
  t.is(workerHeapMegabytes(3, 8 * gibibyte), 1_365);
});

test("much memory gives no more than V8 gives a process, little memory still lets a worker start", (t) => {
  t.is(workerHeapMegabytes(2, 64 * gibibyte), limits.workerHeapMegabytesMax);
  t.is(workerHeapMegabytes(16, gibibyte), limits.workerHeapMegabytesMin);
});
