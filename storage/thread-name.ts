import { writeFileSync } from "node:fs";

/** The name of the running thread in `top -H` and `perf`; the name given to Node shows only in its inspector. */
export function nameThread(name: string): void {
  try {
    writeFileSync("/proc/thread-self/comm", name);
  } catch {
    // Only Linux has it, and nothing depends on it.
  }
}
