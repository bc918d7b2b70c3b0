import { hash, randomBytes } from "node:crypto";
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/index.ts";
import { keyBytes } from "./envelope.ts";
import type { Keys } from "./key-ring.ts";

/** The file in which the development profile keeps the key it made. Beside it is the key's SHA-256. */
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
  const sumPath = `${path}.sha256`;
  if (!existsSync(path)) {
    // A new key would not open what was encrypted under this one, and would have the same id.
    if (existsSync(sumPath)) throw unusable(path, "is missing", sumPath);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeOnce(path, randomBytes(keyBytes).toString("base64"));
  }
  const text = readFileSync(path, "utf8").trim();
  const key = Buffer.from(text, "base64");
  const isWhole = key.length === keyBytes && key.toString("base64") === text;
  // After the key: without it, a start that was killed in between would leave a sum and no key.
  if (isWhole && !existsSync(sumPath)) writeOnce(sumPath, sumOf(key));
  if (!isWhole || readFileSync(sumPath, "utf8").trim() !== sumOf(key))
    throw unusable(path, "is corrupt: it is not the key that was made here", sumPath);
  return key;
}

function sumOf(key: Buffer): string {
  return hash("sha256", key, "hex");
}

function writeOnce(path: string, text: string): void {
  const file = openSync(path, "wx", 0o600);
  writeSync(file, text);
  fsyncSync(file);
  closeSync(file);
}

function unusable(path: string, what: string, sumPath: string): Error {
  return new Error(
    `${path} ${what}. Credentials may be encrypted under it: put the file back from a backup, or set connector.encryption_key. ` +
      `To give up what is encrypted, remove ${path} and ${sumPath}: the next start makes a new key`,
  );
}
