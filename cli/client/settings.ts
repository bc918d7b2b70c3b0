import { readFileSync } from "node:fs";
import type { FlagValue, Given } from "../command.ts";
import { CliError, exitCodes, misunderstood } from "../error.ts";
import type { Terminal } from "../terminal.ts";
import { type Context, readContexts } from "./contexts.ts";
import type { Server } from "./http.ts";

const usualUrl = "http://127.0.0.1:8080";

/** Flags, then the environment, then the context; a context that a flag names goes before the environment. */
export async function serverOf(flags: Given["flags"], terminal: Terminal): Promise<Server> {
  const named = textOf(flags.context);
  const context = await contextOf(named ?? terminal.environment.SWITCHYARD_CONTEXT, terminal);
  const said = named === undefined ? variables(terminal) : { ...variables(terminal), ...context };
  const url = textOf(flags.url) ?? said.url ?? context.url ?? usualUrl;
  if (!/^https?:/.test(url) || !URL.canParse(url))
    throw misunderstood(`--url ${url} is not an address such as https://service.example.com`);
  const tenant = textOf(flags.tenant) ?? said.tenant ?? context.tenant;
  const environment = textOf(flags.environment) ?? said.environment ?? context.environment;
  // A key of a context is sent to the service of that context only.
  const own = url === (context.url ?? usualUrl) ? context : {};
  const headers = {
    ...(await credential(flags, named === undefined ? terminal.environment : {}, own)),
    ...(tenant !== undefined && { "x-tenant-id": tenant }),
    ...(environment !== undefined && { "x-environment": environment }),
    ...headersOf(flags.header),
  };
  const { ca_file: ca } = context;
  return { url, headers, warn: terminal.err, ...(ca !== undefined && { tls: { ca: read(ca) } }) };
}

async function contextOf(name: string | undefined, terminal: Terminal): Promise<Context> {
  const { current, contexts } = await readContexts(terminal);
  const wanted = name || current;
  if (wanted === undefined) return {};
  const context = Object.hasOwn(contexts, wanted) ? contexts[wanted] : undefined;
  if (context !== undefined) return context;
  const { nearest } = await import("#base");
  const near = nearest(wanted, Object.keys(contexts));
  throw new CliError(
    `service: there is no context ${wanted}${near === undefined ? "; service contexts list shows them" : `; did you mean ${near}?`}`,
    exitCodes.notThere,
  );
}

function variables({ environment }: Terminal): Context {
  const { SWITCHYARD_URL: url, SWITCHYARD_TENANT: tenant, SWITCHYARD_ENVIRONMENT: name } = environment;
  return { ...(url && { url }), ...(tenant && { tenant }), ...(name && { environment: name }) };
}

/** A key on the command line would be in the list of processes: it comes from a file, the environment or the context. */
async function credential(
  flags: Given["flags"],
  { SWITCHYARD_API_KEY: key, SWITCHYARD_TOKEN: token }: Terminal["environment"],
  context: Context,
): Promise<Record<string, string>> {
  const file = textOf(flags["key-file"]);
  if (file !== undefined) return { "x-api-key": read(file).toString().trim() };
  if (key) return { "x-api-key": key };
  if (token) return { authorization: `Bearer ${token}` };
  const { api_key, api_key_command: command, key_file } = context;
  if (api_key !== undefined) return { "x-api-key": api_key };
  if (command !== undefined) return { "x-api-key": await printed(command) };
  return key_file === undefined ? {} : { "x-api-key": read(key_file).toString().trim() };
}

async function printed(command: string): Promise<string> {
  const { execSync } = await import("node:child_process");
  try {
    return execSync(command, { encoding: "utf8", stdio: ["inherit", "pipe", "inherit"] }).trim();
  } catch {
    throw new CliError("service: api_key_command of the context has failed");
  }
}

export function headersOf(lines: FlagValue | undefined): Record<string, string> {
  if (!Array.isArray(lines)) return {};
  return Object.fromEntries(
    lines.map((line: string) => {
      const [, name, value = ""] = /^([\w-]+): ?(.*)$/.exec(line) ?? [];
      if (name === undefined) throw misunderstood(`--header ${line} is not \`name: value\``);
      return [name.toLowerCase(), value];
    }),
  );
}

export function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new CliError(`service: ${file} cannot be read: ${(error as Error).message}`);
  }
}

export function textOf(value: FlagValue | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
