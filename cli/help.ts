import { nearest } from "#base";
import type { Method } from "#protos/surface";
import { surface } from "./client/surface.ts";
import { type CommandSpec, helpOf } from "./command.ts";
import { commands } from "./commands.ts";
import { type CliError, exitCodes, misunderstood } from "./error.ts";
import { commandOf } from "./find.ts";
import type { Terminal } from "./terminal.ts";

/** `service help`, `--help` behind any command, and `service help --markdown` for docs/cli.md. */
export function help(args: readonly string[], spec: CommandSpec | undefined, terminal: Terminal): number {
  const words = args.filter((word) => word !== "help" && !word.startsWith("-"));
  const [group = ""] = words;
  const listed = summaries().filter((one) => one.group === group);
  if (args.includes("--markdown") && args[0] === "help") terminal.out(commandsMarkdown());
  else if (spec !== undefined && (listed.length < 2 || words.length > 1)) terminal.out(helpOf(spec));
  else if (listed.length > 0)
    terminal.out(`${lines(listed)}\nservice ${group} COMMAND --help lists its options.\n`);
  else if (words.length > 0 && args[0] !== "help") throw unknown(group, words[1]);
  else terminal.out(overview());
  return exitCodes.done;
}

interface Summary {
  readonly words: string;
  readonly group: string;
  readonly about: string;
  readonly args: readonly string[];
  readonly isOurs: boolean;
}

/** Every command once; one by hand in place of its method. */
function summaries(): readonly Summary[] {
  const byHand = commands.map(({ words, about, args = [] }) => ({
    words,
    group: groupOf(words),
    about,
    args,
    isOurs: true,
  }));
  const taken = new Set(byHand.map(({ words }) => words));
  const methods = surface()
    .methods.filter(({ cli }) => cli !== undefined)
    .map((method) => ({ ...commandOf(method, wordsOf(method)), group: method.cli!.group }))
    .filter(({ words }) => !taken.has(words))
    .map(({ words, group, about, args = [] }) => ({ words, group, about, args, isOurs: false }));
  return [...byHand, ...methods].sort((a, b) => (a.words < b.words ? -1 : 1));
}

function groupOf(words: string): string {
  return words.split(" ")[0]!;
}

function wordsOf({ cli }: Method): string {
  return cli!.verb === undefined ? cli!.group : `${cli!.group} ${cli!.verb}`;
}

function firstSentence(text: string): string {
  return /^[\s\S]*?\.(?=\s|$)/.exec(text)?.[0].replaceAll("\n", " ") ?? text;
}

function lines(listed: readonly Summary[]): string {
  const left = listed.map(({ words, args }) => ["service", words, ...args].join(" "));
  const width = Math.min(60, Math.max(...left.map((text) => text.length)));
  return listed.map(({ about }, at) => `${left[at]!.padEnd(width)}  ${firstSentence(about)}\n`).join("");
}

function overview(): string {
  const all = summaries();
  const groups = new Map<string, string[]>();
  for (const { group, words } of all.filter(({ isOurs }) => !isOurs))
    groups.set(group, [...(groups.get(group) ?? []), words.slice(group.length + 1)]);
  const verbs = [...groups].map(([group, own]) => `  ${group.padEnd(22)} ${own.join(", ")}`.trimEnd());
  return `Switchyard routes work items to recipients.

${lines(all.filter(({ isOurs }) => isOurs))}
Every method of the API is a command, \`service GROUP VERB\`, and also \`service api SERVICE.METHOD\`:

${verbs.join("\n")}

service GROUP --help and service GROUP VERB --help say more. --url, --context, --key-file, --tenant and --environment say
which service is asked, and as whom. Settings of a server: --config FILE (default service.yaml, if it is there), SERVICE_… in
the environment, --set key=value; the later one wins.
`;
}

/** Below \`## Commands\` of docs/cli.md. */
export function commandsMarkdown(): string {
  const all = summaries();
  const groups = [...new Set(all.map(({ group }) => group))].sort();
  const rows = (group: string) =>
    all
      .filter((one) => one.group === group)
      .map(({ words, args, about }) => `| \`${[words, ...args].join(" ")}\` | ${firstSentence(about)} |\n`)
      .join("");
  return groups
    .map((group) => `### ${group}\n| command | what it does |\n|---|---|\n${rows(group)}`)
    .join("\n");
}

/** Names what was probably meant. */
export function unknown(first: string, second: string | undefined): CliError {
  if (first === "api") return unknownMethod(second);
  const all = summaries();
  const verbs = all.filter(({ group }) => group === first).map(({ words }) => words.slice(first.length + 1));
  const given = [first, ...(second === undefined ? [] : [second])].join(" ");
  const near =
    verbs.length > 0
      ? nearest(second ?? "", verbs)
      : nearest(first, ["help", "api", ...new Set(all.map(({ group }) => group))]);
  const hint =
    near === undefined
      ? verbs.length > 0
        ? `there is "${first} ${verbs.join("|")}"`
        : "service --help lists them"
      : `did you mean "${verbs.length > 0 ? `${first} ${near}` : withVerb(near, second)}"? service --help lists them`;
  return misunderstood(`there is no command "${given}"; ${hint}`);
}

/** A group as it should be, with the verb as it was given, where there is that command. */
function withVerb(group: string, verb: string | undefined): string {
  const words = `${group} ${verb}`;
  return summaries().some((one) => one.words === words) ? words : group;
}

function unknownMethod(id = ""): CliError {
  const method = surface().method(id);
  if (method !== undefined)
    return misunderstood(`${id} has no address over REST: gRPC and Connect of the internal plane have it`);
  const ids = surface().methods.map((one) => one.id);
  const lower = id.toLowerCase();
  const near =
    nearest(id, ids) ?? ids.find((one) => lower !== "" && `.${one.toLowerCase()}`.endsWith(`.${lower}`));
  const hint = near === undefined ? "service api PoolService.ListPools is one" : `did you mean ${near}?`;
  return misunderstood(`there is no method "${id}"; ${hint}`);
}

/** For completion. */
export function groups(): readonly string[] {
  return ["api", "help", ...new Set([...surface().groups, ...commands.map(({ words }) => groupOf(words))])];
}

export function verbs(group: string): readonly string[] {
  if (group === "api")
    return surface().methods.flatMap(({ id, rest, kind }) => (rest || kind === "bidi_streaming" ? [id] : []));
  const own = surface()
    .group(group)
    .flatMap(({ cli }) => cli?.verb ?? []);
  const byHand = commands.flatMap(({ words }) =>
    words.startsWith(`${group} `) ? words.slice(group.length + 1) : [],
  );
  return [...new Set([...own, ...byHand])];
}
