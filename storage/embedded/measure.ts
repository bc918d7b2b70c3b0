import type { RootDatabase } from "lmdb";
import { limits } from "#base";
import type { ChosenPartitions } from "../tables.ts";
import { afterLength, isRowKey, partitionOf, partitionsFrom } from "./row-key.ts";
import { rowChecksumBytes } from "./row-value.ts";

/**
 * Measures from a key on, for a bounded number of steps; returns the key to continue from, or undefined at the end.
 * Partitions that are not chosen are skipped without reading them.
 */
export function measureSome(
  database: RootDatabase<Buffer, string>,
  { next, count }: ChosenPartitions,
  from: string,
): string | undefined {
  let at = from;
  for (let steps = 0; steps < limits.measureStepsMax; steps++) {
    const first = firstKey(database, at);
    if (first === undefined || !isRowKey(first)) return undefined;
    const { partition, prefix } = partitionOf(first);
    const wanted = next(partition);
    if (wanted !== partition) {
      at = wanted === undefined ? afterLength(prefix) : partitionsFrom(prefix, wanted);
      continue;
    }
    let [last, bytes] = ["", 0];
    for (const { key, value } of database.getRange({ start: at, limit: limits.measureStepsMax - steps })) {
      if (!key.startsWith(prefix)) break;
      steps++;
      last = key;
      bytes += key.length - prefix.length + value.length - rowChecksumBytes;
    }
    count(partition, bytes);
    // The smallest key after the last one.
    at = `${last}\0`;
  }
  return at;
}

function firstKey(database: RootDatabase<Buffer, string>, from: string): string | undefined {
  for (const key of database.getKeys({ start: from, limit: 1 })) return key;
  return undefined;
}
