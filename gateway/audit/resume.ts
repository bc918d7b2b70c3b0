import { closeSync, fstatSync, ftruncateSync, openSync, readSync } from "node:fs";
import { asError, limits } from "#base";
import { lineMark, type Position, readLine } from "./chain.ts";

/**
 * Where the chain in a file ends, `undefined` where there is none. A last line that was not written to its end is removed:
 * the process or the machine ended before the write was done.
 */
export function endOf(file: string): { readonly position?: Position; readonly tornBytes: number } {
  let descriptor: number;
  try {
    descriptor = openSync(file, "r+");
  } catch (error) {
    if (asError(error).code === "ENOENT") return { tornBytes: 0 };
    throw error;
  }
  try {
    const { size } = fstatSync(descriptor);
    const start = Math.max(0, size - limits.auditTailBytes);
    const buffer = Buffer.alloc(size - start);
    readSync(descriptor, buffer, 0, buffer.length, start);
    const whole = buffer.lastIndexOf(10) + 1;
    const tornBytes = buffer.length - whole;
    if (tornBytes > 0) {
      const torn = buffer.subarray(whole, whole + lineMark.length).toString();
      // The file of another writer is not shortened.
      if (!lineMark.startsWith(torn)) throw new Error(`audit.file: ${file} is not an audit log`);
      ftruncateSync(descriptor, start + whole);
    }
    const lines = buffer.subarray(0, whole).toString().trimEnd().split("\n");
    const last = readLine(lines.at(-1) ?? "");
    return last === undefined
      ? { tornBytes }
      : { position: { seq: last.entry.seq, hash: last.hash }, tornBytes };
  } finally {
    closeSync(descriptor);
  }
}
