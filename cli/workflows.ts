import { type Problem, problemsOf } from "#actors";
import type { Given } from "./command.ts";
import { draftIn } from "./draft.ts";
import { CliError } from "./error.ts";
import { listed } from "./options.ts";
import type { Terminal } from "./terminal.ts";

/** `service workflows check FILE`: exit code 1 where the file has problems. No service is asked. */
export function check({ args: [file] }: Given, terminal: Terminal): number {
  const problems = problemsOf(draftIn(file!));
  if (problems.length > 0) throw new CliError(listed(`${file} cannot be published`, problems.map(lineOf)));
  terminal.out(`${file} can be published\n`);
  return 0;
}

function lineOf({ path: at, reason, line, column }: Problem): string {
  const place = line === undefined ? "" : ` (line ${line}, column ${column} of the expression)`;
  return `${at}: ${reason}${place}`;
}
