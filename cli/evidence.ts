import { readFileSync } from "node:fs";
import { verifyExport } from "#actors";
import { CliError } from "./error.ts";
import { listed, parseOptions } from "./options.ts";
import type { Terminal } from "./terminal.ts";

/** `service evidence verify FILE --keys FILE`: needs no service and no network. Exit code 1 where the export is not what was signed. */
export function evidenceVerify(args: readonly string[], terminal: Terminal): number {
  const [file = ""] = args;
  if (file === "" || file.startsWith("-"))
    throw new CliError("service: evidence verify needs the file of an export", 2);
  const { flags } = parseOptions(args.slice(1), { keys: { type: "string" } });
  if (typeof flags.keys !== "string")
    throw new CliError(
      "service: evidence verify needs --keys FILE, as /api/rollout-evidence/keys answers it",
      2,
    );
  const { findings, summary } = verifyExport(jsonIn(file), jsonIn(flags.keys));
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
