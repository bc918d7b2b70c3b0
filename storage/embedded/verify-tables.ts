/**
 * Reads every row of an environment. It runs in a process of its own, because reading a damaged environment through its
 * memory map can end a process without a word.
 */
import { fork } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { limits } from "#base";
import { StorageError } from "../error.ts";
import { openEnvironment } from "./environment.ts";
import { shardOf, watermarkKey } from "./row-key.ts";

export interface TablesSummary {
  readonly rows: number;
  readonly bytes: number;
  readonly badKeys: number;
  readonly watermarks: readonly number[];
}

export function readTables(path: string): Promise<TablesSummary> {
  if (!existsSync(join(path, "data.mdb")))
    return Promise.reject(new StorageError("corrupt", `${path} has no file data.mdb.`));
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
  const database = openEnvironment(path, true);
  let [rows, bytes, badKeys] = [0, 0, 0];
  for (const { key, value } of database.getRange({ start: "" })) {
    const shard = shardOf(key);
    if (shard === undefined) badKeys++;
    else if (shard < limits.shardCount) {
      rows++;
      bytes += key.length + value.length;
    }
  }
  const watermarks = Array.from(
    { length: limits.shardCount },
    (_, shard) => database.getBinary(watermarkKey(shard))?.readDoubleBE(0) ?? 0,
  );
  await database.close();
  return { rows, bytes, badKeys, watermarks };
}

if (process.argv[1] === fileURLToPath(import.meta.url) && process.send)
  process.send(await summarize(process.argv[2]!).catch((error: unknown) => ({ error: String(error) })), () =>
    process.exit(0),
  );
