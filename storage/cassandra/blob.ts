/** A partition or key as the driver takes it. */
export function blobOf(text: string): Buffer {
  return Buffer.from(text, "latin1");
}

export function textOf(blob: Buffer): string {
  return blob.toString("latin1");
}
