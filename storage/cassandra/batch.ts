import { corrupt } from "../error.ts";

/** The value of a journal row: a version byte, then each entry after its length. */
const version = 1;

export function encodeBatch(entries: readonly Uint8Array[]): Buffer {
  let bytes = 1;
  for (const entry of entries) bytes += 4 + entry.length;
  const blob = Buffer.allocUnsafe(bytes);
  blob[0] = version;
  let at = 1;
  for (const entry of entries) {
    blob.writeUInt32BE(entry.length, at);
    blob.set(entry, at + 4);
    at += 4 + entry.length;
  }
  return blob;
}

export function decodeBatch(blob: Buffer, where: string): Uint8Array[] {
  if (blob[0] !== version) throw corrupt(`${where}: unknown batch version ${blob[0]}`);
  const entries: Uint8Array[] = [];
  let at = 1;
  while (at < blob.length) {
    const end = at + 4 <= blob.length ? at + 4 + blob.readUInt32BE(at) : Number.POSITIVE_INFINITY;
    if (end > blob.length) throw corrupt(`${where}: an entry runs over the end of its batch`);
    entries.push(blob.subarray(at + 4, end));
    at = end;
  }
  return entries;
}
