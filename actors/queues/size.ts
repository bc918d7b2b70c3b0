/** About the bytes of a value as JSON, without making the text. */
export function sizeOf(value: unknown): number {
  switch (typeof value) {
    case "string":
      return value.length + 2;
    case "number":
      return 8;
    case "object":
      return value === null ? 4 : sizeOfObject(value);
    default:
      return 5;
  }
}

function sizeOfObject(value: object): number {
  let bytes = 2;
  if (Array.isArray(value)) {
    for (const element of value) bytes += sizeOf(element) + 1;
    return bytes;
  }
  for (const name in value) bytes += name.length + 4 + sizeOf((value as Record<string, unknown>)[name]);
  return bytes;
}
