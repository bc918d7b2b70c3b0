import type { DescMessage } from "@bufbuild/protobuf";
import { type FieldPlan, planOf } from "./field-plan.ts";

/** Prints a plain message as JSON. */
export type Print = (plain: unknown) => string;

/**
 * The printer of one type, made once: the same JSON as `fillDefaults` and JSON.stringify give, in the order of the
 * contract. It is compiled: code that names the members takes 1.2 us for a routing where a loop over them takes 2.0,
 * JSON.stringify 1.4 and `fillDefaults` as much again (loaded machine).
 */
export function printerOf(desc: DescMessage): Print {
  let print = printers.get(desc);
  if (print === undefined) {
    let compiled: Print | undefined;
    print = (plain) => {
      // When it first prints: a message may contain itself.
      compiled ??= compile(planOf(desc).fields.map(memberOf));
      return typeof plain === "object" && plain !== null ? compiled(plain) : anything(plain);
    };
    printers.set(desc, print);
  }
  return print;
}

/** A text in quotes. */
function quote(text: string): string {
  return plainText.test(text) ? `"${text}"` : JSON.stringify(text);
}

const printers = new WeakMap<DescMessage, Print>();
const plainText = /^[ !#-[\]-~]*$/;

interface Member {
  readonly name: string;
  /** What is printed where nothing is set; absent: nothing. */
  readonly zero: string | undefined;
  readonly print: Print;
}

function memberOf(plan: FieldPlan): Member {
  const { name, zero } = plan;
  return { name, zero: zero && JSON.stringify(zero()), print: printOf(plan) };
}

/** The names are the contract's own; nothing a caller sends becomes code. */
function compile(members: readonly Member[]): Print {
  const code = ['let text = "";', "let value;"];
  let isFirst = true;
  for (const [index, { name, zero }] of members.entries()) {
    const label = `${JSON.stringify(name)}:`;
    const open = isFirst
      ? `(text === "" ? ${JSON.stringify(`{${label}`)} : ${JSON.stringify(`,${label}`)})`
      : JSON.stringify(`,${label}`);
    const put = `text += ${open} + prints[${index}](value);`;
    code.push(`value = message[${JSON.stringify(name)}];`);
    if (zero === undefined) code.push(`if (value !== undefined) ${put}`);
    else code.push(`if (value === undefined) text += ${open} + ${JSON.stringify(zero)}; else ${put}`);
    // After one that is always there, the others follow a comma.
    if (zero !== undefined) isFirst = false;
  }
  code.push(isFirst ? 'return text === "" ? "{}" : text + "}";' : 'return text + "}";');
  const make = new Function("prints", `return (message) => {\n${code.join("\n")}\n};`);
  return make(members.map(({ print }) => print)) as Print;
}

function printOf({ shape, element }: FieldPlan): Print {
  const nested = element.type === "message" ? printerOf(element.message) : undefined;
  switch (shape) {
    case "list":
      return (value) => printList(value as readonly unknown[], nested);
    case "map":
      return nested === undefined ? anything : (value) => printMap(value as object, nested);
    case "single":
      if (element.type === "scalar" && element.scalar.plain === "text")
        return (value) => printText(value as string);
      return nested ?? anything;
  }
}

/** A member that is text by contract; what an entity put there instead is printed as it is. */
function printText(value: string): string {
  return typeof value === "string" ? quote(value) : anything(value);
}

function printList(list: readonly unknown[], nested: Print | undefined): string {
  if (list.length === 0) return "[]";
  if (nested === undefined) return JSON.stringify(list);
  let text = "";
  for (const item of list) text += text === "" ? nested(item) : `,${nested(item)}`;
  return `[${text}]`;
}

function printMap(map: object, nested: Print): string {
  let text = "";
  for (const [key, value] of Object.entries(map))
    text += `${text === "" ? "" : ","}${quote(key)}:${nested(value)}`;
  return `{${text}}`;
}

function anything(value: unknown): string {
  switch (typeof value) {
    case "string":
      return quote(value);
    case "number":
      return Number.isFinite(value) ? String(value) : "null";
    default:
      return JSON.stringify(value) ?? "null";
  }
}
