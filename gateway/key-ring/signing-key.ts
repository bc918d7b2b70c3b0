import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
  sign,
} from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Signer } from "#actors";
import { asError } from "#base";
import type { Config } from "../config/index.ts";

/** An Ed25519 key from a PEM file. Throws with the name of the setting that says which file. */
export function readSigningKey(file: string, setting: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(readFileSync(file));
  } catch (error) {
    throw new Error(`${setting}: ${file} cannot be used (${asError(error).message})`);
  }
  if (key.asymmetricKeyType === "ed25519") return key;
  throw new Error(`${setting}: ${file} is not an Ed25519 key`);
}

/** For its owner alone; one that is there stays. */
export function makeSigningKey(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  let file: number;
  try {
    file = openSync(path, "wx", 0o600);
  } catch (error) {
    if (asError(error).code === "EEXIST") return;
    throw error;
  }
  writeSync(file, newKey());
  fsyncSync(file);
  closeSync(file);
}

/**
 * The key that signs evidence, as PEM: that of the settings; else the one in the data folder, made when it is first needed. Nothing
 * in memory outlives the process, so there a key need not either.
 */
export function loadEvidenceKey(config: Config): string {
  const setting = "evidence.signing_key_file";
  const named = config[setting];
  if (named === "" && config["storage.engine"] === "memory") return newKey();
  const path = named || join(config["storage.dir"], "evidence-signing.key");
  if (named === "") makeSigningKey(path);
  return pemOf(readSigningKey(path, setting));
}

export function createSigner(pem: string): Signer {
  const key = createPrivateKey(pem);
  const publicKey = createPublicKey(key);
  return {
    keyId: hash("sha256", publicKey.export({ type: "spki", format: "der" }), "hex"),
    publicX: publicKey.export({ format: "jwk" }).x!,
    sign: (bytes) => sign(null, bytes, key),
  };
}

function newKey(): string {
  return pemOf(generateKeyPairSync("ed25519").privateKey);
}

function pemOf(key: KeyObject): string {
  return String(key.export({ type: "pkcs8", format: "pem" }));
}
