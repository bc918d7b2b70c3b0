import { limits, type Refusal, refuse } from "#base";

/** Free data is kept in memory with its owner, so it has a size. */
export function checkMetadata(metadata: unknown): Refusal | undefined {
  if (metadata === undefined) return undefined;
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  if (bytes <= limits.metadataBytesMax) return undefined;
  const reason = `is ${bytes} bytes as JSON, more than ${limits.metadataBytesMax}`;
  return refuse("INVALID_ARGUMENT", `metadata ${reason}`, { fields: [{ field: "metadata", reason }] });
}
