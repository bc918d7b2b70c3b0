import { randomBytes } from "node:crypto";
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/index.ts";
import { keyBytes } from "./envelope.ts";
import type { Keys } from "./key-ring.ts";

/** The file in which the development profile keeps the key it made. */
const devKeyFile = "encryption.key";

/**
 * The keys of the settings. Without one the development profile makes its own in the data folder; otherwise there is none,
 * and what needs one refuses.
 */
export function loadKeys(config: Config, profile: "dev" | "production"): Keys | undefined {
  const activeId = config["connector.encryption_key_id"];
  const byId = new Map<string, Uint8Array>(
    Object.entries(config["connector.rotation_keys"]).map(([id, key]) => [id, Buffer.from(key, "base64")]),
  );
  const configured = config["connector.encryption_key"];
  const active = configured === "" ? madeForDev(config, profile) : Buffer.from(configured, "base64");
  if (active !== undefined) byId.set(activeId, active);
  return byId.has(activeId) ? { activeId, byId } : undefined;
}

function madeForDev(config: Config, profile: "dev" | "production"): Buffer | undefined {
  if (profile !== "dev") return undefined;
  if (config["storage.engine"] === "memory") return randomBytes(keyBytes);
  const folder = config["storage.dir"];
  const path = join(folder, devKeyFile);
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = openSync(path, "wx", 0o600);
    writeSync(file, randomBytes(keyBytes).toString("base64"));
    fsyncSync(file);
    closeSync(file);
  }
  return Buffer.from(readFileSync(path, "utf8"), "base64");
}
