import { configProblems } from "#gateway";
import type { Given } from "./command.ts";
import { CliError } from "./error.ts";
import { listed, loadSettings } from "./options.ts";
import { serve } from "./serve.ts";
import type { Terminal } from "./terminal.ts";

/** `service start`: production defaults, and nothing that would be open by mistake. */
export async function start({ flags }: Given, terminal: Terminal): Promise<number> {
  const loaded = loadSettings(terminal, "production", flags);
  const problems = await configProblems(loaded.config, "production");
  if (problems.length > 0) throw new CliError(listed("these settings are refused", problems));
  return serve(loaded, (service) => {
    terminal.out(`${JSON.stringify({ ready: true, ports: service.ports })}\n`);
  });
}
