import { totalmem } from "node:os";
import { limits } from "#base";

const bytesPerMegabyte = 1_024 * 1_024;

/**
 * How large the old generation of each worker may become. V8 would give each of them what suits a process of its own:
 * together they may not outgrow the machine, or the container that ends the whole process then.
 */
export function workerHeapMegabytes(workers: number, memoryBytes = availableBytes()): number {
  const share = (memoryBytes * limits.workersMemoryShareMax) / workers / bytesPerMegabyte;
  return Math.floor(Math.min(limits.workerHeapMegabytesMax, Math.max(limits.workerHeapMegabytesMin, share)));
}

/** Of the machine, or of the container if that has less. A container without a bound says 0, or more than there is. */
function availableBytes(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}
