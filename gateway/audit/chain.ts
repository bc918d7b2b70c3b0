import { hash } from "node:crypto";

/** Where a chain is: the number and the hash of its last entry. */
export interface Position {
  readonly seq: number;
  readonly hash: string;
}

/** Before the first entry. */
export const beginning: Position = { seq: 0, hash: "0".repeat(64) };

/** Every line begins with it: other lines of a shared output are told apart by it. The number is the version of the format. */
export const lineMark = '{"audit":1,';

/** An entry as a line, and the position it leads to. The hash is of the line's own text before it, which has the last hash in it. */
export function chained(
  entry: object,
  last: Position,
): { readonly line: string; readonly position: Position } {
  const seq = last.seq + 1;
  const text = JSON.stringify({ audit: 1, seq, ...entry, prev: last.hash }).slice(0, -1);
  const own = sha256(text);
  return { line: `${text},"hash":"${own}"}\n`, position: { seq, hash: own } };
}

/** Without a chain: numbered only. */
export function numbered(
  entry: object,
  last: Position,
): { readonly line: string; readonly position: Position } {
  const seq = last.seq + 1;
  return { line: `${JSON.stringify({ audit: 1, seq, ...entry })}\n`, position: { seq, hash: last.hash } };
}

/** A line read back. `isWhole`: its hash is that of its text. */
export interface ReadLine {
  readonly entry: Readonly<Record<string, unknown>> & { readonly seq: number; readonly prev: string };
  readonly hash: string;
  readonly isWhole: boolean;
}

/** `undefined`: the line is no entry of a chain. */
export function readLine(line: string): ReadLine | undefined {
  const [, text, found] = /^(.*),"hash":"([0-9a-f]{64})"\}$/.exec(line) ?? [];
  if (text === undefined || found === undefined) return undefined;
  try {
    const entry = JSON.parse(`${text}}`) as ReadLine["entry"];
    if (!Number.isSafeInteger(entry.seq) || typeof entry.prev !== "string") return undefined;
    return { entry, hash: found, isWhole: sha256(text) === found };
  } catch {
    return undefined;
  }
}

function sha256(text: string): string {
  return hash("sha256", text, "hex");
}
