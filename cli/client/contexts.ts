import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { type Contexts, contextsFile, readContexts as readStored } from "#sdk/calls";
import type { Terminal } from "../terminal.ts";
import { toldOfSettings } from "./settings.ts";

export type { Context } from "#sdk/calls";

export function readContexts({ environment }: Terminal): Promise<Contexts> {
  return readStored(environment).catch(toldOfSettings);
}

/** For its owner only: it may hold keys. */
export async function writeContexts(contexts: Contexts, { environment }: Terminal): Promise<void> {
  const { stringify } = await import("yaml");
  const file = contextsFile(environment);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, stringify(contexts), { mode: 0o600 });
  chmodSync(file, 0o600);
}
