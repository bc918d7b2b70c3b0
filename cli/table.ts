/** Rows under the names of their columns, aligned: numbers to the right, everything else to the left. */
export function table(
  columns: readonly string[],
  rows: readonly Readonly<Record<string, unknown>>[],
): string {
  const lines = [columns.map((column) => column.replaceAll("_", " ").toUpperCase())];
  for (const row of rows) lines.push(columns.map((column) => cellOf(row[column])));
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]!.length)));
  const right = columns.map((column) => rows.length > 0 && rows.every((row) => isNumber(row[column])));
  return lines.map((line) => `${lineOf(line, widths, right)}\n`).join("");
}

function lineOf(cells: readonly string[], widths: readonly number[], right: readonly boolean[]): string {
  const padded = cells.map((cell, at) => (right[at] ? cell.padStart(widths[at]!) : cell.padEnd(widths[at]!)));
  return padded.join("  ").trimEnd();
}

/** One line each: what an entity said when it failed may have many, and may hold what steers a terminal. */
export function cellOf(value: unknown): string {
  if (value === undefined || value === null || value === "") return "-";
  if (typeof value === "object" && Object.keys(value).length === 0) return "-";
  const text =
    typeof value !== "object" ? String(value) : isPlainList(value) ? value.join(", ") : JSON.stringify(value);
  return text.replace(/\p{Cc}+/gu, " ");
}

function isPlainList(value: object): value is readonly unknown[] {
  return Array.isArray(value) && value.every((one) => typeof one !== "object");
}

function isNumber(value: unknown): boolean {
  return value === undefined || typeof value === "number";
}
