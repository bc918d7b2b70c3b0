import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { Packr } from "msgpackr";

/**
 * A data folder as one small file: most of a segment is zeros. Locks and spare segments hold no data and are left out.
 */
export function packFolder(dir: string): Buffer {
  const files: Record<string, Buffer> = {};
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !/^(lock\/|journal\/spare-)/.test(path.slice(dir.length + 1)))
      files[path.slice(dir.length + 1)] = readFileSync(path);
  }
  return gzipSync(packr.pack(files), { level: 9 });
}

export function unpackFolder(packed: Buffer, dir: string): void {
  const files = packr.unpack(gunzipSync(packed)) as Record<string, Buffer>;
  for (const [path, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true, mode: 0o700 });
    writeFileSync(join(dir, path), bytes, { mode: 0o600 });
  }
}

const packr = new Packr({ useRecords: false });
