import type { Seen } from "./search.ts";

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** The 60 bits of an id's random part that come from two whole draws, six characters each, lowest bits first. */
export function seenId(name: string, id: string): Seen {
  return { name, words: [wordOf(id.slice(10, 16)), wordOf(id.slice(16, 22))] };
}

/** A token of 16 bytes as four draws would give them: of each, the 30 bits that the search compares. */
export function seenToken(name: string, token: string): Seen {
  const bytes = Buffer.from(token, "base64url");
  return { name, words: [0, 4, 8, 12].map((at) => bytes.readUInt32LE(at) & 0x3fffffff) };
}

function wordOf(characters: string): number {
  return [...characters].reduceRight((word, character) => word * 32 + alphabet.indexOf(character), 0);
}
