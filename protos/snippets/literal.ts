/** How a language writes plain values. */
interface Dialect {
  readonly names: Readonly<Record<"null" | "true" | "false", string>>;
  readonly key: (name: string) => string;
  readonly text: (text: string) => string;
  /** Behind the last of several lines. */
  readonly trailing: "," | "";
  /** Columns of an indent. */
  readonly step: number;
  /** Inside the brackets of an object on one line. */
  readonly pad: " " | "";
}

const plain = { null: "null", true: "true", false: "false" };

export const json: Dialect = {
  names: plain,
  key: (name) => `${jsonText(name)}: `,
  text: jsonText,
  trailing: "",
  step: 2,
  pad: "",
};

export const typescript: Dialect = {
  names: plain,
  // Between quotes alone it would be the prototype.
  key: (name) =>
    name === "__proto__" ? '["__proto__"]: ' : `${isIdentifier(name) ? name : jsonText(name)}: `,
  text: jsonText,
  trailing: ",",
  step: 2,
  pad: " ",
};

export const python: Dialect = {
  names: { null: "None", true: "True", false: "False" },
  key: (name) => `${pythonText(name)}: `,
  text: pythonText,
  trailing: ",",
  step: 4,
  pad: "",
};

/** What is longer is spread over lines. */
export const widthMax = 90;

/** Where a literal begins. */
export interface Place {
  /** Of its line; what is spread over lines ends there. */
  readonly indent: number;
  readonly column: number;
}

/** A value of JSON as a literal. */
export function literal(value: unknown, dialect: Dialect, place: Place = lineStart): string {
  if (value === null || value === undefined) return dialect.names.null;
  switch (typeof value) {
    case "boolean":
      return dialect.names[`${value}`];
    case "number":
      return Number.isFinite(value) ? JSON.stringify(value) : dialect.names.null;
    case "object":
      return Array.isArray(value)
        ? listed(
            ["[", "]"],
            value.map((one) => ["", one]),
            dialect,
            place,
          )
        : listed(
            ["{", "}"],
            entriesOf(value).map(([name, one]) => [dialect.key(name), one]),
            dialect,
            place,
          );
    default:
      // Of an integer that no double holds the service takes the digits as a text.
      return dialect.text(String(value));
  }
}

const lineStart: Place = { indent: 0, column: 0 };

/** A text of the language, which stands as it is. */
export class Code {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Values between brackets, each behind its name: on one line, or a line each. */
export function listed(
  [open, close]: readonly [string, string],
  values: readonly (readonly [string, unknown])[],
  dialect: Dialect,
  { indent, column }: Place = lineStart,
): string {
  if (values.length === 0) return open + close;
  const inner = indent + dialect.step;
  const parts = values.map(([name, value]) =>
    value instanceof Code
      ? name + value.text
      : name + literal(value, dialect, { indent: inner, column: inner + name.length }),
  );
  const space = open === "{" ? dialect.pad : "";
  const short = `${open}${space}${parts.join(", ")}${space}${close}`;
  if (column + short.length <= widthMax && !short.includes("\n")) return short;
  const [at, before] = [" ".repeat(inner), " ".repeat(indent)];
  return `${open}\n${parts.map((part) => at + part).join(",\n")}${dialect.trailing}\n${before}${close}`;
}

export function entriesOf(value: object): readonly (readonly [string, unknown])[] {
  return Object.entries(value).filter(([, one]) => one !== undefined);
}

export function isIdentifier(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name);
}

/** Controls and what turns the direction of a line stand there as escapes: a reader sees what is sent. */
const hidden = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** Good in JSON and in JavaScript. */
function jsonText(text: string): string {
  return JSON.stringify(text).replace(hidden, (one) =>
    one.replace(/[\s\S]/g, (unit) => `\\u${hex(unit.charCodeAt(0), 4)}`),
  );
}

/** In Python an escape of four digits is a whole character. */
function pythonText(text: string): string {
  return JSON.stringify(text).replace(hidden, (one) => {
    const point = one.codePointAt(0)!;
    return point > 0xffff ? `\\U${hex(point, 8)}` : `\\u${hex(point, 4)}`;
  });
}

export function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}

/** A shell reads it as one word that is this text. */
export function shellWord(text: string): string {
  if (/^[\w@%+:,./-][\w@%+=:,./-]*$/.test(text)) return text;
  const visible = text.replaceAll("\n", "");
  return visible.search(hidden) < 0 ? `'${text.replaceAll("'", `'\\''`)}'` : ansiWord(text);
}

/** By octal escapes, which need no locale. */
function ansiWord(text: string): string {
  const escaped = text.replace(/['\\]/g, "\\$&").replace(hidden, (one) => {
    const bytes = [...new TextEncoder().encode(one)];
    return bytes.map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
  });
  return `$'${escaped}'`;
}

/** Words of a command, on several lines where they are too long for one. A group stays on its line. */
export function shellLine(groups: readonly string[]): string {
  const short = groups.join(" ");
  return short.length <= widthMax ? short : groups.join(" \\\n  ");
}
