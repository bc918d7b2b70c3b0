import { readFileSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { asError } from "#base";
import type { Signed, SigningKey } from "./signing-key.ts";

/** The last signed position of a node's chain, in a file of its own. */
export interface Head extends Signed {
  readonly signature: string;
}

/** `undefined`: there is none. Throws where the file is no head. */
export function readHead(file: string): Head | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (asError(error).code === "ENOENT") return undefined;
    throw error;
  }
  const head = JSON.parse(text) as Head;
  const isHead =
    Number.isSafeInteger(head.seq) &&
    [head.node, head.hash, head.time, head.signature].every((member) => typeof member === "string");
  if (!isHead) throw new Error(`${file} is not a position of an audit log`);
  return head;
}

/** A reader sees the old one or the new one. */
export async function writeHead(file: string, signed: Signed, key: SigningKey): Promise<void> {
  const head: Head = { ...signed, signature: key.sign(signed) };
  await writeFile(`${file}.new`, `${JSON.stringify(head)}\n`);
  await rename(`${file}.new`, file);
}
