import { readFileSync } from "node:fs";
import { verifyExport } from "#actors";
import type { Given } from "./command.ts";
import { CliError, misunderstood } from "./error.ts";
import { listed } from "./options.ts";
import type { Terminal } from "./terminal.ts";

/** `service evidence verify FILE --keys FILE`: needs no service and no network. Exit code 1 where the export is not what was signed. */
export function evidenceVerify({ args: [file], flags: { keys } }: Given, terminal: Terminal): number {
  if (typeof keys !== "string")
    throw misunderstood("evidence verify needs --keys FILE, as /api/rollout-evidence/keys answers it");
  const { findings, summary } = verifyExport(jsonIn(file!), jsonIn(keys));
  if (findings.length > 0) throw new CliError(listed("the export is not valid", findings));
  terminal.out(`valid: ${summary}\n`);
  return 0;
}

function jsonIn(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new CliError(`service: ${file} cannot be read: ${(error as Error).message}`);
  }
}
