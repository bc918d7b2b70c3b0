/**
 * A document of plain values as YAML. The library takes a fifth of a second for ours, in which the thread that was asked
 * answers no other request; this takes a twentieth of that, because it needs to know one kind of tree only.
 */
export function yamlOf(value: unknown): string {
  const lines: string[] = [];
  write(lines, "", value, "");
  return `${lines.join("\n")}\n`;
}

/** `head` is what stands before the value on its first line: the key, or the dash of a list. */
function write(lines: string[], head: string, value: unknown, indent: string): void {
  const entries = entriesOf(value);
  if (entries === undefined) {
    lines.push(`${head}${scalar(value, indent)}`);
    return;
  }
  if (entries.length === 0) {
    lines.push(`${head}${Array.isArray(value) ? "[]" : "{}"}`);
    return;
  }
  // The first entry of a list's item goes beside the dash; that of a key goes below it.
  let lead = head.endsWith("- ") ? head : indent;
  if (head !== "" && lead !== head) lines.push(head.trimEnd());
  for (const [key, child] of entries) {
    const mark = key === undefined ? "- " : `${inline(key)}: `;
    write(lines, lead + mark, child, `${indent}  `);
    lead = indent;
  }
}

function entriesOf(value: unknown): readonly (readonly [string | undefined, unknown])[] | undefined {
  if (Array.isArray(value)) return value.map((item) => [undefined, item] as const);
  if (typeof value !== "object" || value === null) return undefined;
  return Object.entries(value).filter(([, child]) => child !== undefined);
}

function scalar(value: unknown, indent: string): string {
  return typeof value === "string" && isBlock(value) ? block(value, indent) : inline(value);
}

function inline(value: unknown): string {
  // In version 1.1 an exponent without a fraction makes a text.
  if (typeof value === "number") return JSON.stringify(value).replace(/^(-?\d+)e/, "$1.0e");
  return typeof value === "string" && isPlain(value) ? value : quoted(value);
}

/** JSON, but for the characters that older readers take for the end of a line, or do not take at all. */
function quoted(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Nothing in it means anything to a reader of any version, and it is no other type's spelling. */
function isPlain(text: string): boolean {
  return /^[A-Za-z_/$][\w\-./ ,()'`;=+*{}$]*$/.test(text) && !text.endsWith(" ") && !isReserved(text);
}

function isReserved(text: string): boolean {
  // Some readers of version 1.1 take `e1` for a number.
  return /^(?:true|false|yes|no|on|off|null|y|n|e\d+)$/i.test(text);
}

/** Several lines that can stand as they are. */
function isBlock(text: string): boolean {
  return /^[!-~][ -~\n]*$/.test(text) && text.includes("\n") && !/ \n| $|\n\n$/.test(text);
}

function block(text: string, indent: string): string {
  const kept = text.endsWith("\n");
  const body = kept ? text.slice(0, -1) : text;
  const lines = body.split("\n").map((line) => (line === "" ? "" : `${indent}${line}`));
  return [kept ? "|" : "|-", ...lines].join("\n");
}
