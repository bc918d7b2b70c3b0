/** A partition or key in the type that the driver expects. */
export function blobOf(text: string): Buffer {
  return Buffer.from(text, "latin1");
}

export function textOf(blob: Buffer): string {
  return blob.toString("latin1");
}
