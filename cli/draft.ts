import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { misunderstood } from "./error.ts";

export type Draft = Readonly<Record<string, unknown>>;

/** The workflow in a file, YAML or JSON. */
export function draftIn(file: string): Draft {
  let draft: unknown;
  try {
    draft = parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw misunderstood(`${file} cannot be read: ${(error as Error).message}`);
  }
  if (typeof draft !== "object" || draft === null || Array.isArray(draft))
    throw misunderstood(`${file} is no workflow: it must be an object with steps`);
  return draft as Draft;
}
