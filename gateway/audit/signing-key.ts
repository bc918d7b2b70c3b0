import { createPublicKey, hash, type KeyObject, sign, verify } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { makeSigningKey, readSigningKey } from "../key-ring/index.ts";
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

  /** Keys the hashes that stand for persons; known to holders of the signing key. */
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
  if (!isNamed) makeSigningKey(paths.signingKey);
  const loaded = new SigningKey(readSigningKey(paths.signingKey, "audit.signing_key_file"));
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
