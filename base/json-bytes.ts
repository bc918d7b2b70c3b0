/** How many bytes `JSON.stringify(value)` has as UTF-8, without making the text. Of what JSON can say, and nothing else. */
export function jsonBytes(value: unknown): number {
  if (typeof value === "string") return stringBytes(value);
  if (typeof value !== "object") return String(value).length;
  if (value === null) return 4;
  if (Array.isArray(value)) {
    let bytes = 2 + Math.max(0, value.length - 1);
    for (const item of value) bytes += jsonBytes(item);
    return bytes;
  }
  const entries = Object.entries(value);
  let bytes = 2 + Math.max(0, entries.length - 1);
  for (const [key, item] of entries) bytes += stringBytes(key) + 1 + jsonBytes(item);
  return bytes;
}

/** Printable ASCII without quotes and backslashes stands in JSON as it is. */
const plain = /^[ !#-[\]-~]*$/;

function stringBytes(text: string): number {
  return plain.test(text) ? text.length + 2 : Buffer.byteLength(JSON.stringify(text));
}
