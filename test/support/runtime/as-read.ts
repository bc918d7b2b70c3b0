/** Plain data as a codec returns it: bytes as a Buffer, and no negative zero. */
export function asRead(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value);
  if (Array.isArray(value)) return value.map(asRead);
  if (typeof value !== "object" || value === null) return Object.is(value, -0) ? 0 : value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, asRead(item)]));
}
