import { isObject, unusable } from "./errors.ts";

/**
 * Services that are known by name, in `$XDG_CONFIG_HOME/switchyard/contexts.yaml`. Only in Node, whose parts are asked for when
 * they are needed, so that a bundle for browsers has none of them.
 */
export interface Contexts {
  /** The one that the command line uses. */
  readonly current?: string;
  readonly contexts: Readonly<Record<string, Context>>;
}

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

export type Variables = Readonly<Record<string, string | undefined>>;

/** The context of this name; without a name the current one, if there is any. */
export async function contextNamed(name: string | undefined, variables: Variables): Promise<Context> {
  const { current, contexts } = await readContexts(variables);
  const wanted = name ?? current;
  if (wanted === undefined) return {};
  if (Object.hasOwn(contexts, wanted)) return contexts[wanted]!;
  const known = Object.keys(contexts).sort().join(", ") || "none";
  throw unusable(
    `there is no context ${wanted} in ${contextsFile(variables)}; there are: ${known}`,
    "NO_CONTEXT",
  );
}

export function contextsFile({ XDG_CONFIG_HOME, HOME }: Variables): string {
  const { join } = process.getBuiltinModule("node:path");
  const folder = XDG_CONFIG_HOME || join(HOME || home(), ".config");
  return join(folder, "switchyard", "contexts.yaml");
}

export async function readContexts(variables: Variables): Promise<Contexts> {
  const file = contextsFile(variables);
  if (!process.getBuiltinModule("node:fs").existsSync(file)) return { contexts: {} };
  const text = readText(file);
  const read = readPlain(text) ?? (await parsedYaml(text, file));
  const contexts = isObject(read) ? membersOf(read.contexts) : undefined;
  if (contexts === undefined || !isObject(read)) throw unusable(`${file} holds no contexts`);
  const { current } = read;
  const found: Record<string, Context> = {};
  for (const [name, given] of Object.entries(contexts)) {
    const one = membersOf(given);
    if (one === undefined || !hasTexts(one))
      throw unusable(`${file}: context ${name} has more than names and texts`);
    found[name] = one;
  }
  return { ...(typeof current === "string" && { current }), contexts: found };
}

function hasTexts(one: Readonly<Record<string, unknown>>): one is Readonly<Record<string, string>> {
  return Object.values(one).every((value) => typeof value === "string");
}

/** A name with nothing beneath it has no members. */
function membersOf(read: unknown): Readonly<Record<string, unknown>> | undefined {
  if (read === undefined || read === "") return {};
  return isObject(read) ? read : undefined;
}

/**
 * The usual form: a name and its members beneath it, each with one text, and comments. It needs no library, and most files are
 * like that. Undefined where there is more in it.
 */
function readPlain(text: string): unknown {
  const read: { current?: string; contexts?: Record<string, Record<string, string>> } = {};
  let own: Record<string, string> = {};
  /** Where names of contexts begin, and where members of this one; none where a line may not be indented. */
  let indents: readonly number[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*(#.*)?$/.test(line)) continue;
    const [, { length: indent } = "", name = "", rest = ": "] = /^( *)([\w-]+):(?= |$)(.*)$/.exec(line) ?? [];
    const value = scalarIn(rest);
    const [outer = 0, inner = indent] = indents;
    if (value === undefined || name in (indent === 0 ? read : indent === outer ? read.contexts! : own))
      return undefined;
    if (indent === 0 && name === "current" && value !== "") {
      read.current = value;
      indents = [];
    } else if (indent === 0 && name === "contexts" && value === "") {
      read.contexts = {};
      indents = [indent];
    } else if (indent > 0 && value === "" && (outer === 0 ? indents.length > 0 : indent === outer)) {
      own = read.contexts![name] = {};
      indents = [indent];
    } else if (value !== "" && outer > 0 && indent > outer && indent === inner) {
      own[name] = value;
      indents = [outer, indent];
    } else return undefined;
  }
  return read;
}

/** A text of one line, quoted or not; empty where there is none. Undefined: it may mean something else in YAML. */
function scalarIn(rest: string): string | undefined {
  if (/^ *(?: #.*)?$/.test(rest)) return "";
  const [, double, single, bare] =
    /^ +(?:"([^"\\]*)"|'([^']*)'|([\w/.~$+][^\s:#]*(?:(?: +|:+|#+)[^\s:#]+)*)) *(?: #.*)?$/.exec(rest) ?? [];
  return double ?? single ?? bare;
}

async function parsedYaml(text: string, file: string): Promise<unknown> {
  // Named by a variable: bundlers take what stands in the call itself along.
  const library = "yaml";
  const { parse } = await import(/* webpackIgnore: true */ /* @vite-ignore */ library).catch(() => {
    throw unusable(`${file} has more than names and texts; to read it: npm install yaml`);
  });
  try {
    // Every value is a text, as it stands there.
    return parse(text, { schema: "failsafe" });
  } catch (error) {
    throw unusable(`${file} cannot be read: ${messageOf(error)}`);
  }
}

/** The key, where the context has one. */
export async function keyOf({
  api_key,
  api_key_command: command,
  key_file,
}: Context): Promise<string | undefined> {
  if (api_key) return api_key;
  if (command) return printed(command);
  return key_file ? readText(key_file).trim() : undefined;
}

/** The command may ask the person at the terminal. */
async function printed(command: string): Promise<string> {
  const { spawn } = process.getBuiltinModule("node:child_process");
  const child = spawn(command, { shell: true, stdio: ["inherit", "pipe", "inherit"] });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  const code = await new Promise((resolve) => child.on("error", resolve).on("close", resolve));
  if (code !== 0) throw unusable("api_key_command of the context has failed");
  return text.trim();
}

/** A shell has not seen the `~` of a file of contexts. */
export function pathOf(file: string): string {
  return file.replace(/^~(?=\/)/, home);
}

export function readText(file: string): string {
  try {
    return process.getBuiltinModule("node:fs").readFileSync(pathOf(file), "utf8");
  } catch (error) {
    throw unusable(`${file} cannot be read: ${messageOf(error)}`);
  }
}

function home(): string {
  return process.getBuiltinModule("node:os").homedir();
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
