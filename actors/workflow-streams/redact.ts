/** Replaces what the pointers name by "[redacted]", in one pass for all of them; what was given stays as it is. */
export function redact(payload: unknown, pointers: readonly string[]): unknown {
  const paths = pointers.map((pointer) => pointer.split("/").slice(1).map(unescaped));
  return paths.length === 0 ? payload : replaceAt(payload, paths, 0);
}

const mark = "[redacted]";

function replaceAt(value: unknown, paths: readonly (readonly string[])[], at: number): unknown {
  if (paths.some((path) => path.length === at)) return mark;
  if (typeof value !== "object" || value === null) return value;
  const replaced = (key: string, member: unknown) => {
    const through = paths.filter((path) => path[at] === "*" || path[at] === key);
    return through.length === 0 ? member : replaceAt(member, through, at + 1);
  };
  if (Array.isArray(value)) return value.map((item, index) => replaced(String(index), item));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, replaced(key, member)]));
}

function unescaped(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}
