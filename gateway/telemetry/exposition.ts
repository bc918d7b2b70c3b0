import { helpOf } from "./catalogue.ts";
import { bucketsMs, type Snapshot } from "./metrics.ts";

/** Snapshots of all threads as one Prometheus text: what is counted per thread is summed. */
export function exposition(snapshots: readonly Snapshot[]): string {
  const lines: string[] = [];
  writeFamilies(lines, "counter", sum(snapshots.flatMap((snapshot) => snapshot.counters)));
  writeFamilies(lines, "gauge", sum(snapshots.flatMap((snapshot) => snapshot.gauges)));
  writeHistograms(lines, snapshots);
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

function sum(series: readonly (readonly [string, number])[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [key, value] of series) sums.set(key, (sums.get(key) ?? 0) + value);
  return sums;
}

function writeFamilies(lines: string[], type: "counter" | "gauge", sums: Map<string, number>): void {
  let family = "";
  for (const [key, value] of [...sums].sort(byKey)) {
    const name = nameOf(key);
    if (name !== family) lines.push(`# HELP ${name} ${helpOf(name)}`, `# TYPE ${name} ${type}`);
    family = name;
    lines.push(`${key} ${value}`);
  }
}

function writeHistograms(lines: string[], snapshots: readonly Snapshot[]): void {
  const sums = new Map<string, { counts: number[]; sumMs: number; boundsMs: readonly number[] }>();
  for (const { histograms } of snapshots) {
    for (const [key, counts, sumMs, boundsMs = bucketsMs] of histograms) {
      const total = sums.get(key) ?? { counts: counts.map(() => 0), sumMs: 0, boundsMs };
      for (const [i, count] of counts.entries()) total.counts[i]! += count;
      total.sumMs += sumMs;
      sums.set(key, total);
    }
  }
  let family = "";
  for (const [key, { counts, sumMs, boundsMs }] of [...sums].sort(byKey)) {
    const name = nameOf(key);
    if (name !== family) lines.push(`# HELP ${name} ${helpOf(name)}`, `# TYPE ${name} histogram`);
    family = name;
    const labels = key.slice(name.length);
    const before = labels === "" ? "{" : `${labels.slice(0, -1)},`;
    let cumulative = 0;
    for (const [i, count] of counts.entries()) {
      cumulative += count;
      const bound = i < boundsMs.length ? String(boundsMs[i]! / 1_000) : "+Inf";
      lines.push(`${name}_bucket${before}le="${bound}"} ${cumulative}`);
    }
    lines.push(`${name}_sum${labels} ${sumMs / 1_000}`, `${name}_count${labels} ${cumulative}`);
  }
}

function nameOf(key: string): string {
  const brace = key.indexOf("{");
  return brace < 0 ? key : key.slice(0, brace);
}

function byKey(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return a[0] < b[0] ? -1 : 1;
}
