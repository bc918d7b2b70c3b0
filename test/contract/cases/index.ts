import { readdirSync } from "node:fs";
import type { Case } from "./case.ts";

/** Files in this folder that hold no cases. */
const others = ["case.ts", "index.ts", "world.ts"];

interface Area {
  readonly cases: readonly Case[];
  /** A line for every method of the area. */
  readonly decided?: string;
}

/** By the name of their file. */
const areas = await Promise.all(
  readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith(".ts") && !others.includes(file))
    .sort()
    .map(async (file) => [file.slice(0, -3), (await import(`./${file}`)) as Area] as const),
);

/** The cases by area, one file each. An RPC without a good or without a bad case fails the checks. */
export const casesByArea: Readonly<Record<string, readonly Case[]>> = Object.fromEntries(
  areas.map(([name, { cases }]) => [name, cases]),
);

/**
 * What was decided about every method, written down once more, so that a slip in a .proto is seen. The columns are method, address,
 * permission, roles that are asked for, and flags: R read-only, I takes an Idempotency-Key, T repeats by lease token, N no
 * effect, C cursor pages, INT internal-only, `stream`, `audited` however a call ended.
 */
export const decided: readonly string[] = areas.flatMap(([, area]) => area.decided?.trim().split("\n") ?? []);
