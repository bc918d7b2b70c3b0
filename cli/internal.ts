import { readFileSync } from "node:fs";
import { type LoadedConfig, makeServiceToken } from "#gateway";
import { type Called, call } from "./call.ts";
import { CliError } from "./error.ts";
import { loadSettings, type ParsedOptions } from "./options.ts";
import type { Terminal } from "./terminal.ts";

/** What every command to the internal plane of a node takes. */
export const internalOptions = {
  addr: { type: "string" },
  token: { type: "string" },
  cert: { type: "string" },
  key: { type: "string" },
  ca: { type: "string" },
} as const;

export interface InternalPlane {
  call(
    called: Pick<Called, "method" | "path" | "body" | "headers" | "answerMs">,
  ): Promise<Record<string, unknown>>;
}

/**
 * The internal plane that `--addr` or the settings name, with the token that `--token` or SERVICE_TOKEN is, or one that is
 * signed with internal.token_secret of the settings.
 */
export function internalPlane(options: ParsedOptions, terminal: Terminal): InternalPlane {
  // Not a setting of the service: it is taken out before the settings are read, or they would warn of it.
  const { SERVICE_TOKEN: tokenOfEnvironment, ...environment } = terminal.environment;
  const { addr, token = tokenOfEnvironment } = options.flags;
  const isGiven = typeof addr === "string" && typeof token === "string";
  const config = isGiven
    ? undefined
    : loadSettings({ ...terminal, environment }, "production", options).config;
  const tls = tlsOf(options.flags);
  const scheme = tls === undefined ? "http" : "https";
  const url = urlOf(scheme, typeof addr === "string" ? addr : config!["server.internal_addr"]);
  return {
    async call({ headers, ...called }) {
      const bearer = typeof token === "string" ? token : await signed(config!);
      const own: Record<string, string> = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
      return call({ ...called, url, headers: { ...own, ...headers }, ...(tls && { tls }) });
    },
  };
}

async function signed(config: LoadedConfig["config"]): Promise<string | undefined> {
  const secret = config["internal.token_secret"];
  return secret === "" ? undefined : makeServiceToken({ secret, subject: "cli" });
}

/** A certificate and its key are given together; `--ca` alone is for a node whose certificate an authority of its own signed. */
function tlsOf({ cert, key, ca }: ParsedOptions["flags"]): Called["tls"] | undefined {
  if ((cert === undefined) !== (key === undefined))
    throw new CliError("service: --cert and --key are given together", 2);
  if (cert === undefined && ca === undefined) return undefined;
  return {
    ...(cert !== undefined && { cert: read("cert", cert), key: read("key", key) }),
    ...(ca !== undefined && { ca: read("ca", ca) }),
  };
}

function read(flag: string, file: string | boolean | undefined): Buffer {
  try {
    return readFileSync(String(file));
  } catch (error) {
    throw new CliError(`service: --${flag}: ${(error as Error).message}`);
  }
}

function urlOf(scheme: string, address: string): string {
  const [, host, port] = /^(.*):(\d+)$/.exec(address) ?? [];
  if (port === undefined) throw new CliError(`service: ${address} is not host:port`, 2);
  return `${scheme}://${host === "" ? "127.0.0.1" : host}:${port}`;
}
