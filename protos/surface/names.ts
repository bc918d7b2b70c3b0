import type { Method } from "./method.ts";
import { isDownload } from "./request.ts";

/** `set-enabled` as TypeScript has it: `setEnabled`. */
export function camelCase(words: string): string {
  return words.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** As Python has it: `set_enabled`; behind a word of the language there is `_`. */
export function snakeCase(words: string): string {
  const name = words.replaceAll("-", "_");
  return pythonKeywords.has(name) ? `${name}_` : name;
}

export const pythonKeywords = new Set(
  "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(
    " ",
  ),
);

/** What a program calls the answer: `pool` of a `Pool`. */
export function answerName(method: Method): string {
  const { response, media_type } = method;
  if (media_type !== undefined) return "text";
  if (isDownload(method)) return "data";
  return /Response$/.test(response) ? "answer" : response[0]!.toLowerCase() + response.slice(1);
}
