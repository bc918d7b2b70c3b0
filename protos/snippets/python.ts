import {
  answerName,
  type Fields,
  isUpload,
  type NamedMethod,
  patchOf,
  pythonKeywords,
  snakeCase,
  wordsOf,
} from "../surface/index.ts";
import type { SnippetOptions } from "./curl.ts";
import { Code, entriesOf, hex, isIdentifier, listed, literal, python } from "./literal.ts";
import { isOnePage } from "./typescript.ts";

/** The call as a program over `switchyard-client`, which reads the address and the credential from the environment. */
export function asPython(
  method: NamedMethod,
  request: Fields,
  { headers = {} }: SnippetOptions = {},
): string {
  const options = optionsOf(headers);
  const names = options.length === 0 ? "Switchyard" : "CallOptions, Switchyard";
  const start = `from switchyard import ${names}\n\nwith Switchyard() as sy:\n`;
  const name = snakeOf(answerName(method));
  const lead = method.sse === undefined && method.page === undefined ? `${name} = ` : "for one in ";
  const callee = `sy.${wordsOf(method).map(snakeCase).join(".")}`;
  const place = { indent: 4, column: 4 + lead.length + callee.length };
  const call = callee + listed(["(", ")"], [...options, ...argumentsOf(method, request)], python, place);
  if (method.sse !== undefined) return `${start}    for event in ${call}:\n        print(event)\n`;
  if (method.page === undefined) {
    return `${start}    ${name} = ${call}\n    print(${name})\n`;
  }
  return isOnePage(request)
    ? `${start}    page = ${call}.page()\n    print(page["data"])\n`
    : `${start}    for one in ${call}:\n        print(one)\n`;
}

type Argument = readonly [string, unknown];

/** Fields are keywords; a name that cannot be one is in a dictionary. */
function argumentsOf(method: NamedMethod, request: Fields): readonly Argument[] {
  const entries = entriesOf(patchOf(method, request));
  const others = entries.filter(([name]) => !isKeyword(name));
  const keywords = entries
    .filter(([name]) => isKeyword(name))
    .map(([name, value]): Argument => {
      const isBytes = isUpload(method) && name === "data";
      return [`${name}=`, isBytes ? bytesOf(String(value)) : value];
    });
  return others.length === 0 ? keywords : [...keywords, ["**", Object.fromEntries(others)]];
}

function isKeyword(name: string): boolean {
  return isIdentifier(name) && !pythonKeywords.has(name);
}

/** From base64. */
function bytesOf(data: string): Code {
  const text = atob(data).replace(/[^ -~]|["\\]/g, (one) => `\\x${hex(one.charCodeAt(0), 2)}`);
  return new Code(`b"${text}"`);
}

function optionsOf(headers: Readonly<Record<string, string>>): readonly Argument[] {
  const options: string[] = [];
  const others = Object.entries(headers).filter(([name, value]) => {
    const isKey = name.toLowerCase() === "idempotency-key";
    if (isKey) options.push(`idempotency_key=${python.text(value)}`);
    return !isKey;
  });
  if (others.length > 0) options.push(`headers=${literal(Object.fromEntries(others), python)}`);
  return options.length === 0 ? [] : [["", new Code(`CallOptions(${options.join(", ")})`)]];
}

function snakeOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
