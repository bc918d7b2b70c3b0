import { asError, limits, type RefusalError, refusalError } from "#base";
import { refuseProtoKey } from "../../contract/index.ts";

/**
 * JSON as callers may send it: JSON.parse, and then what it lets through and we do not: duplicate keys, nesting over
 * 64, `__proto__` as a key, halves of characters. A duplicate shows as fewer members in the value than colons in the
 * text; only then is it looked for by name.
 */
export function parseJson(body: Buffer): unknown {
  const text = decode(body);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw bad(`the body is not JSON: ${asError(error).message}`);
  }
  if (typeof value === "object" && value !== null) {
    const members = countMembers(value, 1);
    // As many colons as members in all, those in strings included: then none of them was a duplicate's.
    if (members !== countAll(text, ":") && members !== countColons(text))
      throw bad(`the key ${JSON.stringify(findDuplicate(text))} appears twice`);
  }
  // Only an escape can bring half of a character, and protobuf cannot carry it to the other doors.
  if (text.includes("\\u") && surrogateEscape.test(text) && holdsHalf(value))
    throw bad("the body holds half of a character (a lone surrogate)");
  return value;
}

const surrogateEscape = /\\u[dD][89a-fA-F]/;
const loneSurrogate = /\p{Surrogate}/u;

function holdsHalf(value: unknown): boolean {
  if (typeof value === "string") return loneSurrogate.test(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, item]) => loneSurrogate.test(key) || holdsHalf(item));
}

function decode(body: Buffer): string {
  const text = body.toString("utf8");
  // A replacement character that the sender did not write itself means bytes that were not UTF-8.
  if (text.includes("\ufffd") && !Buffer.from(text, "utf8").equals(body))
    throw bad("the body is not valid UTF-8");
  if (text.charCodeAt(0) === 0xfeff) throw bad("the body starts with a byte order mark");
  return text;
}

function countMembers(value: object, depth: number): number {
  if (depth > limits.jsonDepthMax) throw bad(`the body is nested deeper than ${limits.jsonDepthMax}`);
  let members = 0;
  if (Array.isArray(value)) {
    for (const item of value)
      if (typeof item === "object" && item !== null) members += countMembers(item, depth + 1);
    return members;
  }
  for (const key of Object.keys(value)) {
    refuseProtoKey(key);
    members++;
    const item = (value as Record<string, unknown>)[key];
    if (typeof item === "object" && item !== null) members += countMembers(item, depth + 1);
  }
  return members;
}

function countAll(text: string, character: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) count++;
  return count;
}

/** Outside strings, in text that is known to be JSON. */
function countColons(text: string): number {
  let colons = 0;
  for (let i = 0; i < text.length; i++) {
    const character = text.charCodeAt(i);
    if (character === quote) i = endOfString(text, i);
    else if (character === colon) colons++;
  }
  return colons;
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(at - 1 - slashes) === backslash) slashes++;
  return slashes % 2 === 1;
}

function findDuplicate(text: string): string {
  const open: (Set<string> | undefined)[] = [];
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (character === "{") open.push(new Set());
    else if (character === "[") open.push(undefined);
    else if (character === "}" || character === "]") open.pop();
    else if (character === '"') {
      const end = endOfString(text, i);
      const keys = open.at(-1);
      if (keys !== undefined && /^\s*:/.test(text.slice(end + 1, end + 1_000))) {
        const key = JSON.parse(text.slice(i, end + 1)) as string;
        if (keys.has(key)) return key;
        keys.add(key);
      }
      i = end;
    }
  }
  return "";
}

const quote = 34;
const colon = 58;
const backslash = 92;

function bad(detail: string): RefusalError {
  return refusalError("INVALID_ARGUMENT", detail);
}
