import { checkProviderFile } from "#actors";
import type { Given } from "./command.ts";
import { readText } from "./options.ts";
import type { Terminal } from "./terminal.ts";

/** Says what is wrong with a file of the catalogue, each with its place. */
export function connectorCheck({ args: [file] }: Given, terminal: Terminal): number {
  const problems = checkProviderFile(readText(file!));
  for (const { line, column, path, reason } of problems)
    terminal.err(`${file}:${line}:${column}: ${path === "" ? "" : `${path}: `}${reason}\n`);
  if (problems.length === 0) terminal.out(`${file}: sound\n`);
  return problems.length === 0 ? 0 : 1;
}
