import { readFileSync } from "node:fs";

/** How many files and sockets this process may have open. Node has raised the soft limit to the hard one at its start. */
export function descriptorsMax(): number {
  try {
    const found = /^Max open files +(\d+|unlimited)/m.exec(readFileSync("/proc/self/limits", "utf8"));
    return Number(found?.[1]) || unlimited;
  } catch {
    // Not Linux. The report knows, and takes some milliseconds longer.
    const report = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
    return Number(report.userLimits?.open_files?.soft) || unlimited;
  }
}

/** What systems without a limit of their own are taken for. */
const unlimited = 1_048_576;
