import { spawn } from "node:child_process";
import type { Given } from "../command.ts";
import type { Terminal } from "../terminal.ts";
import { serverOf } from "./settings.ts";

/** `service open`: the reference of the service in a browser; without a terminal only its address. */
export async function open({ flags }: Given, terminal: Terminal): Promise<number> {
  const { url } = await serverOf(flags, terminal);
  const page = `${url}/docs`;
  terminal.out(`${page}\n`);
  if (terminal.isTerminal !== true) return 0;
  const program = process.platform === "darwin" ? "open" : "xdg-open";
  const browser = spawn(program, [page], { detached: true, stdio: "ignore", env: terminal.environment });
  browser.on("error", () => terminal.err(`service: there is no ${program}: open the address by hand\n`));
  browser.unref();
  return 0;
}
