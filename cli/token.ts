import { makeServiceToken } from "#gateway";
import type { Given } from "./command.ts";
import { CliError, misunderstood } from "./error.ts";
import { loadSettings } from "./options.ts";
import type { Terminal } from "./terminal.ts";

/** `service token`: for callers of the internal plane. */
export async function token({ flags }: Given, terminal: Terminal): Promise<number> {
  const { subject = "operator", tenant, seconds = "300" } = flags;
  const lifetime = Number(seconds);
  if (!Number.isInteger(lifetime) || lifetime < 1 || lifetime > 300)
    throw misunderstood(`--seconds ${seconds} is not a number from 1 to 300`);
  const secret = loadSettings(terminal, "production", flags).config["internal.token_secret"];
  if (secret === "")
    throw new CliError("service: internal.token_secret is not set: nothing can sign a token");
  const named = { secret, subject: String(subject), seconds: lifetime };
  terminal.out(`${await makeServiceToken(typeof tenant === "string" ? { ...named, tenant } : named)}\n`);
  return 0;
}
