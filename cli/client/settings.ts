import { readFileSync } from "node:fs";
import { SwitchyardError, settingsOf } from "#sdk/calls";
import type { FlagValue, Given } from "../command.ts";
import { CliError, exitCodes, misunderstood } from "../error.ts";
import type { Terminal } from "../terminal.ts";
import { type Server, serverAt } from "./server.ts";

/** As the client library finds it, with the context in use; a key is never on the command line, where others could read it. */
export async function serverOf(flags: Given["flags"], terminal: Terminal): Promise<Server> {
  const [url, context, file] = [textOf(flags.url), textOf(flags.context), textOf(flags["key-file"])];
  const [tenant, environment] = [textOf(flags.tenant), textOf(flags.environment)];
  const options = {
    ...(url !== undefined && { url }),
    ...(context !== undefined && { context }),
    ...(file !== undefined && { apiKey: read(file).toString().trim() }),
    ...(tenant !== undefined && { tenant }),
    ...(environment !== undefined && { environment }),
  };
  const target = await targetOf(options, terminal).catch(toldOfSettings);
  const headers = { ...target.headers, ...headersOf(flags.header) };
  const tls = target.ca === undefined ? {} : { ca: target.ca };
  return serverAt({ url: target.url, headers, warn: terminal.err, tls });
}

async function targetOf(options: Parameters<typeof settingsOf>[0], { environment: variables }: Terminal) {
  return settingsOf(options, { variables, usesCurrent: true }).target();
}

/** What the client library says of addresses and contexts, as a command says it. */
export function toldOfSettings(error: unknown): never {
  if (!(error instanceof SwitchyardError)) throw error;
  if (error.reason === "ADDRESS") throw misunderstood(error.detail);
  throw new CliError(
    `service: ${error.detail}`,
    error.reason === "NO_CONTEXT" ? exitCodes.notThere : exitCodes.refused,
  );
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
