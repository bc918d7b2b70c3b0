import { readFileSync } from "node:fs";
import type { ParseArgsConfig } from "node:util";
import { type Called, call } from "./call.ts";
import { CliError } from "./error.ts";
import { parseOptions } from "./options.ts";
import type { Terminal } from "./terminal.ts";

const clientOptions = {
  url: { type: "string" },
  "key-file": { type: "string" },
  tenant: { type: "string" },
  environment: { type: "string" },
  json: { type: "boolean" },
} as const satisfies ParseArgsConfig["options"];

export interface Client {
  readonly flags: Readonly<Record<string, string | boolean | undefined>>;
  call(called: Pick<Called, "method" | "path" | "body" | "answerMs">): Promise<Record<string, unknown>>;
}

/** A command that calls the API as anybody else does: with a key, over the external plane. */
export function openClient(
  args: readonly string[],
  terminal: Terminal,
  own: NonNullable<ParseArgsConfig["options"]> = {},
): Client {
  const { flags } = parseOptions(args, { ...clientOptions, ...own });
  const { url = "http://127.0.0.1:8080", tenant, environment } = flags;
  if (typeof url !== "string" || !URL.canParse(url))
    throw new CliError(`service: --url ${url} is not an address such as https://service.example.com`, 2);
  const key = keyOf(flags["key-file"], terminal);
  const headers = {
    ...(key !== undefined && { "x-api-key": key }),
    ...(typeof tenant === "string" && { "x-tenant-id": tenant }),
    ...(typeof environment === "string" && { "x-environment": environment }),
  };
  return { flags, call: (called) => call({ ...called, url, headers }) };
}

/** A key on the command line would be in the list of processes: it comes from a file or the environment. */
function keyOf(file: string | boolean | undefined, { environment }: Terminal): string | undefined {
  if (typeof file !== "string") return environment.SERVICE_CLI_KEY;
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new CliError(`service: the key cannot be read: ${(error as Error).message}`);
  }
}
