/**
 * Where an expression that the parser has refused is really wrong. The parser goes back to the last place where it could
 * have stopped: of `item.key == ` it says that the operator is not expected. This looks at the words in their order, knows
 * only what may follow what, and finds nothing where that is all right: then the parser has the word.
 */
export function syntaxProblem(source: string): SyntaxProblem | undefined {
  const open: Token[] = [];
  let wantsValue = true;
  let before: Token | undefined;
  for (const token of tokensOf(source)) {
    const { kind, text } = token;
    if (kind === "open end") return at(token, "this text has no end");
    if (kind === "other") return at(token, `${text} is nothing that an expression has${instead(text)}`);
    if (kind === "value") {
      if (!wantsValue) return at(token, `an operator is missing before ${shown(text)}${instead(text)}`);
      wantsValue = false;
    } else if (kind === "open") {
      open.push(token);
      wantsValue = true;
    } else if (kind === "close") {
      const opener = open.pop();
      if (opener === undefined) return at(token, `there is no ${partner[text]} for this ${text}`);
      if (opener.text !== partner[text]) return at(token, `${text} does not close ${opener.text}`);
      if (wantsValue && before !== opener && before?.text !== ",")
        return at(token, `a value is missing before ${text}`);
      wantsValue = false;
    } else if (wantsValue) {
      if (!signs.has(text)) return at(token, `a value is missing before ${text}`);
    } else {
      if (text === "!") return at(token, "an operator is missing before !");
      if (text === "," && open.length === 0) return at(token, "a comma stands between brackets only");
      wantsValue = true;
    }
    before = token;
  }
  if (before === undefined) return undefined;
  if (wantsValue)
    return { offset: source.trimEnd().length, reason: `a value is missing after ${before.text}` };
  const opener = open.at(-1);
  return opener === undefined ? undefined : at(opener, `this ${opener.text} is never closed`);
}

export interface SyntaxProblem {
  readonly offset: number;
  readonly reason: string;
}

interface Token {
  readonly kind: "value" | "operator" | "open" | "close" | "open end" | "other";
  readonly text: string;
  readonly offset: number;
}

const patterns: readonly (readonly [Token["kind"] | "space", RegExp])[] = [
  ["space", /(?:\s|\/\/[^\n]*)+/y],
  // Raw texts have no escapes. Three quotes before one: an empty text has two.
  ["value", /[bB]?[rR][bB]?(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\n]*"|'[^'\n]*')/y],
  ["value", /[bB]?(?:"""(?:\\[\s\S]|[^\\])*?"""|'''(?:\\[\s\S]|[^\\])*?''')/y],
  ["value", /[bB]?(?:"(?:\\[^\n]|[^"\\\n])*"|'(?:\\[^\n]|[^'\\\n])*')/y],
  ["open end", /[bBrR]{0,2}["']/y],
  ["value", /0x[0-9a-fA-F]+[uU]?|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[uU]?/y],
  ["operator", /in\b|&&|\|\||[=!<>]=|[<>+\-*/%?:!.,]/y],
  ["value", /[A-Za-z_]\w*/y],
  ["open", /[([{]/y],
  ["close", /[)\]}]/y],
  ["other", /[\s\S]/uy],
];

function* tokensOf(source: string): Generator<Token> {
  for (let offset = 0; offset < source.length; ) {
    for (const [kind, pattern] of patterns) {
      pattern.lastIndex = offset;
      const text = pattern.exec(source)?.[0];
      if (text === undefined) continue;
      if (kind !== "space") yield { kind, text, offset };
      offset += text.length;
      break;
    }
  }
}

const partner: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };
/** May stand before a value: the question mark in `[?…]` and `.?…`, the dot in `.name`. */
const signs = new Set(["!", "-", "?", "."]);

function at({ offset }: Token, reason: string): SyntaxProblem {
  return { offset, reason };
}

function shown(text: string): string {
  return text.length > 32 ? `${text.slice(0, 32)}…` : text;
}

/** What those mean who write it. */
function instead(text: string): string {
  const meant = { "=": "==", "&": "&&", "|": "||", and: "&&", or: "||", not: "!", is: "==" }[text];
  return meant === undefined ? "" : `: write ${meant}`;
}
