import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { CliError } from "../error.ts";
import type { Terminal } from "../terminal.ts";

/** How a service is reached, and as whom. */
export interface Context {
  readonly url?: string;
  readonly tenant?: string;
  readonly environment?: string;
  readonly api_key?: string;
  /** Run by a shell; it prints the key. */
  readonly api_key_command?: string;
  readonly key_file?: string;
  /** Who signed the certificate of the service. */
  readonly ca_file?: string;
}

export interface Contexts {
  readonly current?: string;
  readonly contexts: Readonly<Record<string, Context>>;
}

export function contextsFile({ environment }: Terminal): string {
  const folder = environment.XDG_CONFIG_HOME || join(environment.HOME ?? homedir(), ".config");
  return join(folder, "switchyard", "contexts.yaml");
}

export async function readContexts(terminal: Terminal): Promise<Contexts> {
  const file = contextsFile(terminal);
  if (!existsSync(file)) return { contexts: {} };
  const text = readFileSync(file, "utf8");
  const read = plain(text) ?? (await parsedYaml(text, file));
  if (typeof read !== "object" || read === null || Array.isArray(read))
    throw new CliError(`service: ${file} holds no contexts`);
  return { contexts: {}, ...read };
}

/** For its owner only: it may hold keys. */
export async function writeContexts(contexts: Contexts, terminal: Terminal): Promise<void> {
  const { stringify } = await import("yaml");
  const file = contextsFile(terminal);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, stringify(contexts), { mode: 0o600 });
  chmodSync(file, 0o600);
}

/** The file as it is written here, read without the YAML library, which takes longer to load than a command to run. */
function plain(text: string): Contexts | undefined {
  const contexts: Record<string, Record<string, string>> = {};
  let current: string | undefined;
  let own: Record<string, string> | undefined;
  for (const line of text.split("\n")) {
    const [, indent = "", name = "", value = ""] = /^( *)([\w-]+):(?: ([\w/][\w./:@~-]*))?$/.exec(line) ?? [];
    if (line === "" || (line === "contexts:" && own === undefined)) continue;
    if (indent === "" && name === "current" && value !== "") current = value;
    else if (indent === "  " && name !== "" && value === "") own = contexts[name] = {};
    else if (indent === "    " && value !== "" && own !== undefined) own[name] = value;
    else return undefined;
  }
  return { ...(current !== undefined && { current }), contexts };
}

async function parsedYaml(text: string, file: string): Promise<unknown> {
  const { parse } = await import("yaml");
  try {
    return parse(text);
  } catch (error) {
    throw new CliError(`service: ${file} cannot be read: ${(error as Error).message}`);
  }
}
