import { type Browser, chromium } from "playwright-core";
import { chromiumPath } from "./parts.ts";

/** A real Chromium, for a test that needs the part `chromium`. Every name beside localhost leads nowhere: no page asks a resolver. */
export function launchChromium(): Promise<Browser> {
  const executablePath = chromiumPath()!;
  return chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1, EXCLUDE 0.0.0.0",
    ],
  });
}
