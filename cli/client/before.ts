import { parsed } from "../command.ts";
import { misunderstood } from "../error.ts";
import type { Terminal } from "../terminal.ts";
import { serverFlags } from "./flags.ts";
import { read, textOf } from "./settings.ts";

/** `service --url URL pools list`: the flags count as variables of the environment. */
export async function environmentOf(
  args: readonly string[],
  terminal: Terminal,
): Promise<{ args: readonly string[]; terminal: Terminal }> {
  let at = 0;
  while (args[at]?.startsWith("-")) at += args[at]!.includes("=") ? 1 : 2;
  const flags = serverFlags.filter(({ many }) => !many);
  const spec = { words: "", about: "", flags, load: () => () => 0 };
  const { flags: given } = await parsed(spec, args.slice(0, at));
  if (at >= args.length)
    throw misunderstood("these flags need a command behind them; service --help lists them");
  const { url, tenant, environment: name, context } = given;
  const file = textOf(given["key-file"]);
  const environment = {
    ...(context === undefined ? terminal.environment : withoutOurs(terminal.environment)),
    ...variable("URL", url),
    ...variable("TENANT", tenant),
    ...variable("ENVIRONMENT", name),
    ...variable("CONTEXT", context),
    ...(file !== undefined && variable("API_KEY", read(file).toString().trim())),
  };
  return { args: args.slice(at), terminal: { ...terminal, environment } };
}

function variable(name: string, value: unknown): Record<string, string> {
  return typeof value === "string" ? { [`SWITCHYARD_${name}`]: value } : {};
}

/** A context that is named goes before the environment. */
function withoutOurs(environment: Terminal["environment"]): Terminal["environment"] {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith("SWITCHYARD_")));
}
