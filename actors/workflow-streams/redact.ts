/** Replaces what the pointers name by "[redacted]"; what was given stays as it is. */
export function redact(payload: unknown, pointers: readonly string[]): unknown {
  let redacted = payload;
  for (const pointer of pointers)
    redacted = replaceAt(redacted, pointer.split("/").slice(1).map(unescaped), 0);
  return redacted;
}

const mark = "[redacted]";

function replaceAt(value: unknown, path: readonly string[], at: number): unknown {
  if (at === path.length) return mark;
  if (typeof value !== "object" || value === null) return value;
  const name = path[at]!;
  if (Array.isArray(value)) {
    if (name !== "*" && !/^(?:0|[1-9][0-9]*)$/.test(name)) return value;
    return value.map((item, index) =>
      name === "*" || Number(name) === index ? replaceAt(item, path, at + 1) : item,
    );
  }
  const members = Object.entries(value);
  if (name !== "*" && !Object.hasOwn(value, name)) return value;
  return Object.fromEntries(
    members.map(([key, member]) => [
      key,
      name === "*" || key === name ? replaceAt(member, path, at + 1) : member,
    ]),
  );
}

function unescaped(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}
