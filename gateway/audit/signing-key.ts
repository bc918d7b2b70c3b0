import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { Position } from "./chain.ts";
import type { AuditPaths } from "./paths.ts";

/** What is signed: that the chain of this node had this position at this time. */
export interface Signed extends Position {
  readonly node: string;
  readonly time: string;
}

export class SigningKey {
  readonly #key: KeyObject;
  readonly #publicKey: KeyObject;

  constructor(key: KeyObject) {
    this.#key = key;
    this.#publicKey = createPublicKey(key);
  }

  get publicPem(): string {
    return String(this.#publicKey.export({ type: "spki", format: "pem" }));
  }

  get id(): string {
    return keyIdOf(this.#publicKey);
  }

  /** Keys the hashes that stand for persons; known to whoever has the signing key. */
  get redactionKey(): string {
    return hash("sha256", `redaction ${String(this.#key.export({ type: "pkcs8", format: "pem" }))}`, "hex");
  }

  sign(signed: Signed): string {
    return sign(undefined, textOf(signed), this.#key).toString("base64");
  }

  verifies(signed: Signed, signature: string): boolean {
    return isSignedBy(this.#publicKey, signed, signature);
  }
}

/** The key of the settings; where they name none, the one in the data folder, which is made when it is first needed. */
export function loadSigningKey(paths: AuditPaths, isNamed: boolean): SigningKey {
  if (!isNamed) makeMissing(paths);
  const loaded = new SigningKey(readKey(paths.signingKey));
  mkdirSync(dirname(paths.publicKey), { recursive: true, mode: 0o700 });
  writeFileSync(paths.publicKey, loaded.publicPem);
  return loaded;
}

export function isSignedBy(publicKey: KeyObject, signed: Signed, signature: string): boolean {
  return verify(undefined, textOf(signed), publicKey, Buffer.from(signature, "base64"));
}

function keyIdOf(publicKey: KeyObject): string {
  return hash("sha256", publicKey.export({ type: "spki", format: "der" }), "hex").slice(0, 16);
}

function textOf({ node, seq, hash: of, time }: Signed): Buffer {
  return Buffer.from(`switchyard audit\n${node}\n${seq}\n${of}\n${time}\n`);
}

function readKey(file: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(readFileSync(file));
  } catch (error) {
    throw new Error(`audit.signing_key_file: ${file} cannot be used (${(error as Error).message})`);
  }
  if (key.asymmetricKeyType === "ed25519") return key;
  throw new Error(`audit.signing_key_file: ${file} is not an Ed25519 key`);
}

function makeMissing({ signingKey }: AuditPaths): void {
  mkdirSync(dirname(signingKey), { recursive: true, mode: 0o700 });
  let file: number;
  try {
    file = openSync(signingKey, "wx", 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return;
    throw error;
  }
  const { privateKey } = generateKeyPairSync("ed25519");
  writeSync(file, String(privateKey.export({ type: "pkcs8", format: "pem" })));
  fsyncSync(file);
  closeSync(file);
}
