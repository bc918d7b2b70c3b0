import { readdirSync, readFileSync } from "node:fs";

/**
 * Processor time of another process so far; NaN if the system does not report it. Other load on the machine affects it
 * least.
 */
export function cpuSeconds(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // User and system time, in hundredths of a second.
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return Number.NaN;
  }
}

/** The same for threads of a process, in microseconds, so that even a few requests can be measured. */
export function threadCpuUs(pid: number, isCounted: (name: string) => boolean): number {
  let total = 0;
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const thread = `/proc/${pid}/task/${task}`;
    if (isCounted(nameOf(thread))) total += Number(readFileSync(`${thread}/schedstat`, "utf8").split(" ")[0]);
  }
  return total / 1_000;
}

const names = new Map<string, string>();

function nameOf(thread: string): string {
  let name = names.get(thread);
  if (name === undefined) {
    name = readFileSync(`${thread}/comm`, "utf8").trim();
    names.set(thread, name);
  }
  return name;
}
