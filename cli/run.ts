import { existsSync, readFileSync } from "node:fs";
import { surface } from "./client/surface.ts";
import { parsed } from "./command.ts";
import { CliError, exitCodes } from "./error.ts";
import { find } from "./find.ts";
import type { Terminal } from "./terminal.ts";

/** Returns the exit code (`cli/error.ts`). */
export async function runCli(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await run(args, terminal);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    terminal.err(`${error.message}\n`);
    return error.exitCode;
  }
}

async function run(given: readonly string[], outer: Terminal): Promise<number> {
  const { args, terminal } = await flagsBefore(given, outer);
  const [first = "help", second] = args;
  if (first === "version" || first === "--version") {
    terminal.out(`${version()} (contract ${surface().contractSha256.slice(0, 12)})\n`);
    return exitCodes.done;
  }
  if (first === "__complete") return completed(args.slice(args[1] === "--" ? 2 : 1), terminal);
  const found = find(args);
  const isHelp =
    first === "help" || args.slice(0, endOf(args)).some((word) => word === "--help" || word === "-h");
  if (isHelp) return (await import("./help.ts")).help(args, found?.spec, terminal);
  if (found === undefined) throw await (await import("./help.ts")).unknown(first, second);
  const run = await found.spec.load();
  const words = await parsed(found.spec, found.rest);
  try {
    return await run(words, terminal);
  } catch (error) {
    if (!(error instanceof CliError) || error.problem === undefined || words.flags.output !== "json")
      throw error;
    terminal.err(`${JSON.stringify(error.problem)}\n`);
    return error.exitCode;
  }
}

/** A shell shows nothing of what goes wrong here. */
async function completed(words: readonly string[], terminal: Terminal): Promise<number> {
  const { complete } = await import("./client/completion.ts");
  const { groups, verbs } = await import("./help.ts");
  const found = await complete(words, { find, groups, verbs }, terminal).catch(() => []);
  terminal.out(found.map((one) => `${one}\n`).join(""));
  return exitCodes.done;
}

/** What follows `--` is not ours. */
function endOf(args: readonly string[]): number {
  const at = args.indexOf("--");
  return at < 0 ? args.length : at;
}

/** Flags before the group say which service is asked, also where a field of the request has the name of such a flag. */
async function flagsBefore(
  args: readonly string[],
  terminal: Terminal,
): Promise<{ args: readonly string[]; terminal: Terminal }> {
  const [first = ""] = args;
  if (!first.startsWith("-") || ["--help", "-h", "--version"].includes(first)) return { args, terminal };
  const { environmentOf } = await import("./client/before.ts");
  return environmentOf(args, terminal);
}

/** Stands beside the sources, and one folder further up from what is built of them. */
function version(): string {
  const [file] = ["../package.json", "../../package.json"]
    .map((path) => new URL(path, import.meta.url))
    .filter((url) => existsSync(url));
  return (JSON.parse(readFileSync(file!, "utf8")) as { version: string }).version;
}
