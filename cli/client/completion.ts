import type { Schema } from "#protos/surface";
import type { CommandSpec, Given } from "../command.ts";
import { misunderstood } from "../error.ts";
import type { Terminal } from "../terminal.ts";
import { Client } from "./client.ts";
import { rowsOf } from "./names.ts";
import { surface } from "./surface.ts";

const scripts: Readonly<Record<string, string>> = {
  bash: `_service() {
  local IFS=$'\\n'
  COMPREPLY=($(service __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _service service
`,
  zsh: `#compdef service
_service() {
  local -a found
  found=("\${(@f)$(service __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -a found
}
compdef _service service
`,
  fish: `function __service_complete
  set -l words (commandline -opc) (commandline -ct)
  service __complete -- $words[2..] 2>/dev/null
end
complete -c service -f -a '(__service_complete)'
`,
};

/** `service completion SHELL`: what the shell reads at its start. */
export function completion({ args: [shell = ""] }: Given, terminal: Terminal): number {
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (script === undefined)
    throw misunderstood(`completion ${shell} is not one of ${Object.keys(scripts).join(", ")}`);
  terminal.out(script);
  return 0;
}

/** What may stand in place of the last word, one a line; nothing where that is not known. */
export async function complete(
  words: readonly string[],
  { find, groups, verbs }: Commands,
  terminal: Terminal,
): Promise<readonly string[]> {
  const last = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const [group = ""] = before;
  const found = find(before);
  const verbsHere = before.length === 1 ? verbs(group) : [];
  if (before.length === 0) return startingWith(last, groups());
  if (found === undefined || (verbsHere.length > 0 && !last.startsWith("-")))
    return startingWith(last, verbsHere);
  const { flags = [] } = found.spec;
  const flag = flags.find(
    ({ flag: one }) => one.includes("<") && one.split(/[ ,]+/).includes(before.at(-1)!),
  );
  if (flag !== undefined) {
    const field = flagName(flag.flag).slice(2).replaceAll("-", "_");
    return startingWith(last, flag.values ?? (await namesOf(before, field, {}, terminal)));
  }
  if (last.startsWith("-"))
    return startingWith(
      last,
      flags.map((one) => flagName(one.flag)),
    );
  const placed = found.rest.filter((word) => !word.startsWith("-"));
  const args = argsOf(before);
  const given = Object.fromEntries(args.slice(0, placed.length).map((name, at) => [name, placed[at]]));
  return startingWith(last, await namesOf(before, args[placed.length] ?? "", given, terminal));
}

/** Of which completion knows nothing itself. */
export interface Commands {
  find(words: readonly string[]): { spec: CommandSpec; rest: readonly string[] } | undefined;
  groups(): readonly string[];
  verbs(group: string): readonly string[];
}

function flagName(flag: string): string {
  return /--[^ ,]+/.exec(flag)![0];
}

function startingWith(prefix: string, names: readonly string[]): readonly string[] {
  return [...new Set(names)].filter((name) => name.startsWith(prefix)).sort();
}

function methodOf([group = "", verb]: readonly string[]) {
  return surface()
    .group(group)
    .find(({ cli }) => cli?.verb === verb);
}

function argsOf(words: readonly string[]): readonly string[] {
  return methodOf(words)?.cli?.args ?? [];
}

/** Names that the service knows, for a field that holds an id. */
async function namesOf(
  words: readonly string[],
  field: string,
  given: Readonly<Record<string, string | undefined>>,
  terminal: Terminal,
): Promise<readonly string[]> {
  const schema: Schema | undefined = surface().schema(methodOf(words)?.request).properties?.[field];
  if (schema?.enum !== undefined) return schema.enum;
  if (schema?.ref === undefined) return [];
  const { list, by } = schema.ref;
  const method = surface().method(list)!;
  const { server } = await Client.of({ args: [], flags: {} }, terminal);
  const quick = { ...server, timeoutMs: answerMs };
  const [outer] = method.cli!.args;
  if (outer !== undefined && given[outer] === undefined) return [];
  const { withIds } = await import("./names.ts");
  const asked = outer === undefined ? {} : await withIds(surface(), method, { [outer]: given[outer] }, quick);
  const rows = await rowsOf(surface(), method, asked, { by, server: quick });
  return rows.map((row) => String(row[by]));
}

/** A shell waits for it at every key. */
const answerMs = 2_000;
