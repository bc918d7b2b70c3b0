/**
 * Reads every row of an environment. It runs in a separate process, because reading a damaged environment through its
 * memory map can end the process without a message.
 */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { limits } from "#base";
import { StorageError } from "../error.ts";
import { openEnvironment } from "./environment.ts";
import { rowName, shardOf, watermarkedShard } from "./row-key.ts";
import { RowDecoder } from "./row-value.ts";

export interface TablesSummary {
  readonly rows: number;
  readonly bytes: number;
  readonly badKeys: number;
  /** Rows whose checksum does not match, by shard. */
  readonly badRows: readonly { readonly shard: number; readonly count: number; readonly first: string }[];
  readonly watermarks: readonly number[];
}

export function readTables(path: string): Promise<TablesSummary> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url), [path], {
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    const failed = (why: string) => reject(new StorageError("corrupt", `${path} cannot be read: ${why}.`));
    child.once("message", (message: TablesSummary | { error: string }) => {
      if ("error" in message) failed(message.error);
      else resolve(message);
    });
    child.once("exit", (code, signal) => failed(`reading ended with ${signal ?? code}`));
  });
}

async function summarize(path: string): Promise<TablesSummary> {
  const decoder = new RowDecoder();
  const database = openEnvironment(path, decoder);
  let [rows, bytes, badKeys] = [0, 0, 0];
  const bad = new Map<number, { shard: number; count: number; first: string }>();
  const watermarks = new Array<number>(limits.shardCount).fill(0);
  for (const { key, value } of database.getRange({ start: "" })) {
    const shard = shardOf(key);
    if (shard === undefined) badKeys++;
    else if (!decoder.isSound(key, value)) {
      const found = bad.get(shard) ?? { shard, count: 0, first: rowName(key) };
      found.count++;
      bad.set(shard, found);
    } else if (shard < limits.shardCount) {
      rows++;
      bytes += key.length + value.length;
    } else watermarks[watermarkedShard(key)] = value.readDoubleBE(0);
  }
  await database.close();
  return { rows, bytes, badKeys, badRows: [...bad.values()], watermarks };
}

if (process.argv[1] === fileURLToPath(import.meta.url) && process.send)
  process.send(await summarize(process.argv[2]!).catch((error: unknown) => ({ error: String(error) })), () =>
    process.exit(0),
  );
