import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { type CliError, misunderstood } from "./error.ts";
import type { Terminal } from "./terminal.ts";

/** A command: what help, completion and the documentation say of it; its code is loaded when it is run. */
export interface CommandSpec {
  /** `pools create` */
  readonly words: string;
  /** The first sentence stands in lists. */
  readonly about: string;
  /** By position: `<name>` is needed, `[name]` is not, `[name...]` takes all that follow. */
  readonly args?: readonly string[];
  readonly flags?: readonly Flag[];
  load(): Run | Promise<Run>;
}

export interface Flag {
  /** `-o, --output <format>`, `--all` */
  readonly flag: string;
  readonly about: string;
  /** May be given several times. */
  readonly many?: boolean;
  /** May also be turned off: `--no-enabled`. */
  readonly negated?: boolean;
  readonly values?: readonly string[];
  /** Of a group of its own in the help. */
  readonly common?: boolean;
}

export type FlagValue = string | boolean | readonly string[];

export interface Given {
  readonly args: readonly string[];
  /** By name, as they are written without the dashes. */
  readonly flags: Readonly<Record<string, FlagValue | undefined>>;
}

type Run = (given: Given, terminal: Terminal) => number | Promise<number>;

/** The words of a command line, as its command takes them. */
export async function parsed(spec: CommandSpec, words: readonly string[]): Promise<Given> {
  const command = commanderOf(spec);
  const isBoolean = new Set((spec.flags ?? []).filter(({ negated }) => negated).map(({ flag }) => flag));
  const plain = words.map((word) => {
    const [, name, value] = /^(--[^=]+)=(true|false)$/.exec(word) ?? [];
    if (name === undefined || !isBoolean.has(name)) return word;
    return value === "true" ? name : name.replace("--", "--no-");
  });
  try {
    command.parse(plain, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    throw await explained(error, spec);
  }
  const values = command.options.map((option) => [
    option.long!.replace(/^--(no-)?/, ""),
    command.getOptionValue(option.attributeName()) as FlagValue | undefined,
  ]);
  return { args: command.args, flags: Object.fromEntries(values) };
}

export function helpOf(spec: CommandSpec): string {
  return commanderOf(spec).helpInformation();
}

function commanderOf({ words, about, args = [], flags = [] }: CommandSpec): Command {
  const command = new Command(`service ${words}`).description(about).exitOverride();
  command.configureOutput({ writeErr: () => {} }).showSuggestionAfterError(false);
  command.configureHelp({ helpWidth: 110 }).helpOption("-h, --help", "this text");
  for (const arg of args) command.argument(arg);
  for (const flag of flags) {
    command.addOption(optionOf(flag));
    if (flag.negated) command.addOption(new Option(flag.flag.replace("--", "--no-")).hideHelp());
  }
  return command;
}

function optionOf({ flag, about, many = false, values, common = false }: Flag): Option {
  const option = new Option(flag, values === undefined ? about : `${about} (${values.join(", ")})`.trim());
  if (many) option.argParser((value, before: string[] | undefined) => [...(before ?? []), value]);
  return option.helpGroup(common ? "Options of all such commands:" : "Options:");
}

/** Names what was probably meant. */
async function explained(error: CommanderError, spec: CommandSpec): Promise<CliError> {
  if (error instanceof InvalidArgumentError) return misunderstood(error.message);
  const isExcess = error.code === "commander.excessArguments";
  const said = isExcess ? "there are too many arguments" : error.message.replace(/^error: /, "");
  const [, given] = /^unknown option '(--[^'=]+)/.exec(said) ?? [];
  const hint = given === undefined ? undefined : await flagNear(given, spec);
  const isMissing = error.code === "commander.missingArgument";
  const where =
    isMissing || isExcess
      ? `: ${usageOf(spec)}`
      : `; ${["service", spec.words].join(" ").trim()} --help lists the options`;
  return misunderstood(`${said}${hint === undefined ? where : `; did you mean ${hint}?`}`);
}

function usageOf({ words, args = [] }: CommandSpec): string {
  return ["service", words, ...args].join(" ");
}

async function flagNear(given: string, { flags = [] }: CommandSpec): Promise<string | undefined> {
  const { nearest } = await import("#base");
  return nearest(
    given,
    flags.map(({ flag }) => /--[^ ,]+/.exec(flag)![0]),
  );
}
