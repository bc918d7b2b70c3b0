import { makeServiceToken } from "#gateway";
import { CliError } from "./error.ts";
import { loadSettings, parseOptions } from "./options.ts";
import type { Terminal } from "./terminal.ts";

/** `service token`: for callers of the internal plane. */
export async function token(args: readonly string[], terminal: Terminal): Promise<number> {
  const options = parseOptions(args, {
    subject: { type: "string" },
    tenant: { type: "string" },
    seconds: { type: "string" },
  });
  const { subject = "operator", tenant, seconds = "300" } = options.flags;
  const lifetime = Number(seconds);
  if (!Number.isInteger(lifetime) || lifetime < 1 || lifetime > 300)
    throw new CliError(`service: --seconds ${seconds} is not a number from 1 to 300`, 2);
  const secret = loadSettings(terminal, "production", options).config["internal.token_secret"];
  if (secret === "")
    throw new CliError("service: internal.token_secret is not set: nothing can sign a token");
  const named = { secret, subject: String(subject), seconds: lifetime };
  terminal.out(`${await makeServiceToken(typeof tenant === "string" ? { ...named, tenant } : named)}\n`);
  return 0;
}
