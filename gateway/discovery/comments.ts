import { once } from "#base";
import { commentName, contractComments } from "#protos";

/** The comment above a definition in its .proto file; empty where there is none. */
export function commentOf(desc: Parameters<typeof commentName>[0]): string {
  return comments()[commentName(desc)] ?? "";
}

/** Read when first asked for: only documents need them. */
const comments = once(contractComments);

/** The first sentence of a text. */
export function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(text)?.[0].replace(/[.]$/, "") ?? text;
}
