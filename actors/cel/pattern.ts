import { limits } from "#base";

/** What a regular expression costs, in instructions. */
export interface PatternCost {
  /** Each of them may be looked at for each character of the text. */
  readonly instructions: number;
  /** As long as to compile so many takes what is done before the first character. */
  readonly compiled: number;
}

/**
 * Found without compiling it, and never too low: the engine writes repetitions out, so that a pattern of a few bytes can
 * stand for a hundred thousand instructions.
 */
export function patternCost(pattern: string): PatternCost {
  const outer: Level[] = [];
  let level: Level = { size: 0, last: 0 };
  let tables = 0;
  let plain = 0;
  const add = (size: number) => {
    level.size += size;
    level.last = size;
  };
  if (pattern.length > limits.celBytesMax) return endless;
  for (let i = 0; i < pattern.length; i++) {
    switch (pattern[i]) {
      case "\\":
        i++;
        // Quoted text would have to be told from what only looks like a class or a group: rare, and not worth a guess.
        if (pattern[i] === "Q") return endless;
        if (isTable(pattern[i])) tables += tableInstructions;
        add(1);
        break;
      case "[": {
        const end = endOfClass(pattern, i);
        tables += tablesIn(pattern.slice(i, end), pattern);
        i = end;
        add(1);
        break;
      }
      case "(": {
        const flags = /^\(\?[\w-]*[:)]/.exec(pattern.slice(i, i + 16))?.[0].length ?? 1;
        outer.push(level);
        level = { size: 2, last: 0 };
        i += flags - 1;
        if (flags > 1 && pattern[i] === ")") level = outer.pop()!;
        break;
      }
      case ")": {
        const { size } = level;
        level = outer.pop() ?? { size: 0, last: 0 };
        add(size);
        break;
      }
      case "{": {
        const { times, length } = repetitionAt(pattern, i);
        level.size += level.last * times;
        level.last += level.last * times;
        i += length - 1;
        break;
      }
      default:
        plain++;
        add(1);
    }
  }
  for (const { size } of outer) level.size += size;
  const compiled = level.size + tables + (plain * plain) / plainPerInstruction;
  return { instructions: level.size, compiled };
}

/** More than any budget, and finite: an empty text times infinity would be no number. */
const endless: PatternCost = { instructions: 1e9, compiled: 1e9 };
/** A class of Unicode takes 60 us. */
const tableInstructions = 50;
/** Where case does not count, a class is folded: 3 us, and 0.12 us for each character of a range beyond ASCII. */
const foldedInstructions = 3;
const foldedPerInstruction = 10;
/** Plain text is put together character by character, each time anew: 1,000 characters take 1 ms, 4,000 take 27 ms. */
const plainPerInstruction = 750;

function isTable(escaped: string | undefined): boolean {
  return escaped === "p" || escaped === "P";
}

function tablesIn(characters: string, pattern: string): number {
  const tables = characters.match(/\\[pP]/g)?.length ?? 0;
  if (!/\(\?[\w-]*i/.test(pattern)) return tables * tableInstructions;
  let folded = foldedInstructions;
  for (const [, low, high] of characters.matchAll(wideRange))
    folded += Math.max(0, codeOf(high!) - codeOf(low!)) / foldedPerInstruction;
  return tables * 2 * tableInstructions + folded;
}

/** A range whose end is not in ASCII: `a-ω`, `\x{100}-\x{200}`. */
const wideRange = /(\\x\{?[0-9a-fA-F]+\}?|[^\\])-(\\x\{?[0-9a-fA-F]+|[^\0-\x7f])/gu;

function codeOf(character: string): number {
  const hex = /^\\x\{?([0-9a-fA-F]+)/.exec(character)?.[1];
  return hex === undefined ? character.codePointAt(0)! : Number.parseInt(hex, 16);
}

/** Of one group that is open: all of it, and its last part, which a repetition would multiply. */
interface Level {
  size: number;
  last: number;
}

/** The place of the bracket that ends it; the first one after the beginning is only a character. */
function endOfClass(pattern: string, start: number): number {
  let i = start + 1;
  if (pattern[i] === "^") i++;
  if (pattern[i] === "]") i++;
  for (; i < pattern.length && pattern[i] !== "]"; i++) {
    if (pattern[i] === "\\") i++;
    if (pattern[i] === "[" && pattern[i + 1] === ":") {
      const end = pattern.indexOf(":]", i + 2);
      if (end > 0) i = end + 1;
    }
  }
  return i;
}

/** How often `{n}`, `{n,}` or `{n,m}` writes its part out again, and its length; what is not one is a character. */
function repetitionAt(pattern: string, at: number): { times: number; length: number } {
  const found = /^\{(\d{1,4})(,(\d{0,4}))?\}/.exec(pattern.slice(at, at + 12));
  if (!found) return { times: 0, length: 1 };
  return { times: Math.max(Number(found[1]) + 1, Number(found[3] ?? 0)), length: found[0].length };
}
