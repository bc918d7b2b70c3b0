import { readdirSync } from "node:fs";
import type { Case } from "./case.ts";

/** Files here that hold no cases. */
const others = ["case.ts", "index.ts", "world.ts"];

/** What every door must answer alike, by area: a file of this folder. An RPC that no good and no bad case names fails the checks. */
export const casesByArea: Readonly<Record<string, readonly Case[]>> = Object.fromEntries(
  await Promise.all(
    readdirSync(import.meta.dirname)
      .filter((file) => file.endsWith(".ts") && !others.includes(file))
      .sort()
      .map(async (file) => [file.slice(0, -3), ((await import(`./${file}`)) as { cases: Case[] }).cases]),
  ),
);
