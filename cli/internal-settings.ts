import { makeServiceToken } from "#gateway";
import type { Given } from "./command.ts";
import { loadSettings } from "./options.ts";
import type { Terminal } from "./terminal.ts";

/** Where the settings have the internal plane, and a token that their secret signs. */
export async function internalSettings(
  flags: Given["flags"],
  terminal: Terminal,
): Promise<{ addr: string; token?: string }> {
  const { config } = loadSettings(terminal, "production", flags);
  const secret = config["internal.token_secret"];
  const addr = config["server.internal_addr"];
  return secret === "" ? { addr } : { addr, token: await makeServiceToken({ secret, subject: "cli" }) };
}
