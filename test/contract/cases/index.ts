import { readdirSync } from "node:fs";
import type { Case } from "./case.ts";

/** Files in this folder that hold no cases. */
const others = ["case.ts", "index.ts", "world.ts"];

/** The cases by area, one file each. An RPC without a good or without a bad case fails the checks. */
export const casesByArea: Readonly<Record<string, readonly Case[]>> = Object.fromEntries(
  await Promise.all(
    readdirSync(import.meta.dirname)
      .filter((file) => file.endsWith(".ts") && !others.includes(file))
      .sort()
      .map(async (file) => [file.slice(0, -3), ((await import(`./${file}`)) as { cases: Case[] }).cases]),
  ),
);
