import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

const cache = new URL("../../.cache/node/", import.meta.url).pathname;

/** The newest supported Node, fetched by `.ci/node-binaries`; undefined if it is missing. Under CI it must be there. */
export function newestNode(): string | undefined {
  const versions = existsSync(cache) ? readdirSync(cache).filter((name) => /^\d/.test(name)) : [];
  const found = versions.map((version) => join(cache, version, "bin/node")).find(existsSync);
  if (found === undefined && process.env.CI === "true")
    throw new Error("under CI: no newest Node (run .ci/node-binaries)");
  return found;
}
