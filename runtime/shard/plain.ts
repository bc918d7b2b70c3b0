/** A deep copy of a plain message. */
export function copyPlain(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const copy: unknown[] = new Array(value.length);
    for (let i = 0; i < value.length; i++) copy[i] = copyPlain(value[i]);
    return copy;
  }
  if (value instanceof Uint8Array || value instanceof Date) return value;
  if (value instanceof Map) return new Map(Array.from(value, ([key, item]) => [key, copyPlain(item)]));
  if (value instanceof Set) return new Set(value);
  const copy: Record<string, unknown> = { ...value };
  for (const key in copy) {
    const item = copy[key];
    if (typeof item === "object" && item !== null) copy[key] = copyPlain(item);
  }
  return copy;
}

/** About what a plain message takes in memory; never exact, never far off. */
export function sizeOfPlain(value: unknown): number {
  if (typeof value === "string") return value.length + 16;
  if (typeof value !== "object" || value === null) return 8;
  if (value instanceof Uint8Array) return value.length + 64;
  let size = 32;
  if (Array.isArray(value)) {
    for (const item of value) size += sizeOfPlain(item);
    return size;
  }
  const source = value as Record<string, unknown>;
  for (const key in source) size += key.length + sizeOfPlain(source[key]);
  return size;
}

/** An object of members and nothing else: no list, map, date or bytes. */
export function isPlain(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
