import { type Browser, chromium } from "playwright-core";
import { chromiumPath } from "./parts.ts";

/**
 * A real Chromium, for a test that needs the part `chromium`. `names` lead to this machine. Every other name beside localhost leads
 * nowhere: no page asks a resolver.
 */
export function launchChromium(names: readonly string[] = []): Promise<Browser> {
  const executablePath = chromiumPath()!;
  const rules = [
    ...names.map((name) => `MAP ${name} 127.0.0.1`),
    "MAP * ~NOTFOUND",
    ...["localhost", "127.0.0.1", "0.0.0.0"].map((name) => `EXCLUDE ${name}`),
  ];
  return chromium.launch({
    executablePath,
    args: ["--no-sandbox", `--host-resolver-rules=${rules.join(", ")}`],
  });
}
