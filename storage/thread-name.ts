import { writeFileSync } from "node:fs";

/** What `top -H` and `perf` call the thread that is running: the name Node is given is for its inspector alone. */
export function nameThread(name: string): void {
  try {
    writeFileSync("/proc/thread-self/comm", name);
  } catch {
    // Only Linux has it, and nothing depends on it.
  }
}
