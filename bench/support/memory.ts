import { readFileSync } from "node:fs";

/** In MiB. `tables`: file pages, most of them of the tables, that the system reclaims when it needs memory. */
export function memoryOf(pid: number): { own: number; tables: number } {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const of = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)![1]) / 1_024;
  return { own: of("RssAnon") + of("RssShmem"), tables: of("RssFile") };
}
