import type { Method } from "#protos/surface";
import { misunderstood } from "../error.ts";
import { cellOf, table } from "../table.ts";
import type { Surface } from "./surface.ts";

type Row = Readonly<Record<string, unknown>>;

export const formats = ["table", "json", "yaml", "ndjson", "name"] as const;
export type Format = (typeof formats)[number];

export function formatOf(given: unknown): Format {
  const found = formats.find((one) => one === (given ?? "table"));
  if (found === undefined) throw misunderstood(`--output ${given} is not one of ${formats.join(", ")}`);
  return found;
}

/** What a method has answered, for a person or a program. */
export async function rendered(
  surface: Surface,
  method: Method,
  data: unknown,
  format: Format,
): Promise<string> {
  switch (format) {
    case "json":
      return `${JSON.stringify(data, undefined, 2)}\n`;
    case "yaml":
      return (await import("yaml")).stringify(data);
    case "ndjson":
      return rowsIn(method, data)
        .map((one) => `${JSON.stringify(one)}\n`)
        .join("");
    case "name":
      return rowsIn(method, data)
        .map((one) => `${cellOf(nameOf(surface, method, one))}\n`)
        .join("");
    case "table":
      return tabled(method, data);
  }
}

/** The rows of a list, also of one that is a member of its answer; else the answer itself. */
function rowsIn(method: Method, data: unknown): readonly unknown[] {
  if (Array.isArray(data)) return data;
  const member = listIn(method, data);
  return member === undefined ? [data] : member.rows;
}

/** A method with columns answers with a list: where it is no page, one member of the answer is. */
function listIn(
  { cli }: Method,
  data: unknown,
): { readonly rows: readonly Row[]; readonly others: Row } | undefined {
  if (cli?.columns === undefined || !isRow(data)) return undefined;
  const [list] = Object.entries(data).filter(([, value]) => Array.isArray(value));
  if (list === undefined) return undefined;
  const { [list[0]]: rows, ...others } = data;
  return { rows: rows as readonly Row[], others };
}

function tabled(method: Method, data: unknown): string {
  if (Array.isArray(data)) return table(columnsOf(method, data), data);
  const member = listIn(method, data);
  if (member === undefined) return overview(data);
  return `${table(columnsOf(method, member.rows), member.rows)}${overview(member.others)}`;
}

/** By what others refer to it: its name where ids of its kind have names of their own, else its id. */
function nameOf(surface: Surface, method: Method, value: unknown): unknown {
  if (!isRow(value)) return value;
  const by = surface.namesIn(method.id.split(".")[0]!);
  const inner = Object.values(value).find(isRow);
  return (by === undefined ? undefined : value[by]) ?? value.id ?? inner?.id ?? Object.values(value)[0];
}

function columnsOf({ cli }: Method, rows: readonly unknown[]): readonly string[] {
  if (cli?.columns !== undefined) return cli.columns;
  const [first] = rows;
  return isRow(first) ? Object.keys(first).filter((key) => typeof first[key] !== "object") : ["value"];
}

/** A line for every member, a table for every list of objects beneath. */
function overview(data: unknown): string {
  if (!isRow(data)) return data === undefined || data === null ? "" : `${cellOf(data)}\n`;
  const lines: (readonly [string, string])[] = [];
  const tables: string[] = [];
  const walk = (row: Row, prefix: string): void => {
    for (const [key, value] of Object.entries(row)) {
      const name = prefix + key;
      if (Array.isArray(value) && value.some(isRow))
        tables.push(`\n${name}\n${table(Object.keys(Object.assign({}, ...value)), value)}`);
      else if (isRow(value) && Object.keys(value).length > 0) walk(value, `${name}.`);
      else lines.push([name, cellOf(value)]);
    }
  };
  walk(data, "");
  const width = Math.max(0, ...lines.map(([name]) => name.length));
  return lines.map(([name, value]) => `${name.padEnd(width)}  ${value}\n`).join("") + tables.join("");
}

function isRow(value: unknown): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
