import { addressOf, contextsFile } from "#sdk/calls";
import type { Given } from "../command.ts";
import { CliError, exitCodes, misunderstood } from "../error.ts";
import { table } from "../table.ts";
import type { Terminal } from "../terminal.ts";
import { type Context, readContexts, writeContexts } from "./contexts.ts";
import { textOf, toldOfSettings } from "./settings.ts";

/** `service contexts list`: keys are not shown. */
export async function contextsList(_: Given, terminal: Terminal): Promise<number> {
  const { current, contexts } = await readContexts(terminal);
  const rows = Object.entries(contexts).map(([name, context]) => ({
    name: name === current ? `${name} (in use)` : name,
    ...context,
    key: keyOf(context),
  }));
  terminal.out(table(["name", "url", "tenant", "environment", "key"], rows));
  return exitCodes.done;
}

function keyOf({ api_key, api_key_command: command, key_file: file }: Context): string {
  if (api_key !== undefined) return "in this file";
  return command ?? file ?? "";
}

/** `service contexts add NAME`: also changes one; the first one is used from then on. */
export async function contextsAdd({ args: [name = ""], flags }: Given, terminal: Terminal): Promise<number> {
  if (!/^[\w-]+$/.test(name))
    throw misunderstood(`contexts add ${name}: a name has letters, digits, - and _`);
  const url = textOf(flags.url);
  if (url !== undefined) addressIn(url);
  const file = textOf(flags["api-key-file"]);
  const names = ["url", "tenant", "environment", "api-key-command", "key-file", "ca-file"] as const;
  const given = names.flatMap((flag) => {
    const value = textOf(flags[flag]);
    return value === undefined ? [] : [[flag.replaceAll("-", "_"), value]];
  });
  const key = file === undefined ? {} : { api_key: await keyIn(file, terminal) };
  await addContext(name, { ...Object.fromEntries(given), ...key }, terminal);
  terminal.out(`${name} is in ${contextsFile(terminal.environment)}\n`);
  return exitCodes.done;
}

function addressIn(url: string): void {
  try {
    addressOf(url);
  } catch (error) {
    toldOfSettings(error);
  }
}

async function keyIn(file: string, terminal: Terminal): Promise<string> {
  if (file === "-") return (await terminal.input!()).toString().trim();
  return (await import("./settings.ts")).read(file).toString().trim();
}

/** The first one is used from then on; a later one where `use` says so. */
export async function addContext(
  name: string,
  context: Context,
  terminal: Terminal,
  use = false,
): Promise<void> {
  const { current: before = name, contexts } = await readContexts(terminal);
  const current = use ? name : before;
  const changed = { ...contexts, [name]: { ...contexts[name], ...context } };
  await writeContexts({ current, contexts: changed }, terminal);
}

/** `service contexts use NAME` */
export async function contextsUse({ args: [name = ""] }: Given, terminal: Terminal): Promise<number> {
  const { contexts } = await readContexts(terminal);
  await known(name, contexts);
  await writeContexts({ current: name, contexts }, terminal);
  terminal.out(`${name} is used from now on\n`);
  return exitCodes.done;
}

/** `service contexts remove NAME` */
export async function contextsRemove({ args: [name = ""] }: Given, terminal: Terminal): Promise<number> {
  const { current, contexts } = await readContexts(terminal);
  await known(name, contexts);
  const { [name]: _, ...others } = contexts;
  await writeContexts(
    { ...(current !== undefined && current !== name && { current }), contexts: others },
    terminal,
  );
  terminal.out(`${name} is removed\n`);
  return exitCodes.done;
}

async function known(name: string, contexts: Readonly<Record<string, Context>>): Promise<void> {
  if (Object.hasOwn(contexts, name)) return;
  const { nearest } = await import("#base");
  const near = nearest(name, Object.keys(contexts));
  const hint = near === undefined ? "" : `; did you mean ${near}?`;
  throw new CliError(`service: there is no context ${name}${hint}`, exitCodes.notThere);
}
