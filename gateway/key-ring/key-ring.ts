import { randomBytes } from "node:crypto";
import type { KeyRing } from "#actors";
import { decrypt, encrypt, keyBytes, nonceBytes } from "./envelope.ts";

/** Named keys, one of which encrypts; the others only decrypt. */
export interface Keys {
  readonly activeId: string;
  readonly byId: ReadonlyMap<string, Uint8Array>;
}

/** Raised with every change of the layout below. */
const version = 1;

/**
 * What is encrypted can be decrypted only with its key and for the record it was encrypted for: version u8 · length of the key id u8 · key
 * id · nonce (24) · ciphertext with its tag. The address of the record, the version and the key id are associated data.
 */
export function createKeyRing({ activeId, byId }: Keys): KeyRing {
  const active = byId.get(activeId);
  if (active?.length !== keyBytes) throw new Error(`the key ${activeId} must have ${keyBytes} bytes`);
  return {
    activeId,

    encrypt(plain, record) {
      const head = headOf(activeId);
      const nonce = randomBytes(nonceBytes);
      return Buffer.concat([head, nonce, encrypt(active, nonce, associatedOf(head, record), plain)]);
    },

    decrypt(encrypted, record) {
      const keyId = keyIdOf(encrypted);
      const key = keyId === undefined ? undefined : byId.get(keyId);
      if (keyId === undefined || key === undefined) return undefined;
      const head = headOf(keyId);
      const nonce = encrypted.subarray(head.length, head.length + nonceBytes);
      if (nonce.length < nonceBytes) return undefined;
      return decrypt(key, nonce, associatedOf(head, record), encrypted.subarray(head.length + nonceBytes));
    },

    keyIdOf,
  };
}

/** Which key it was encrypted with; `undefined` where it is no envelope. */
function keyIdOf(encrypted: Uint8Array): string | undefined {
  const length = encrypted[1];
  if (encrypted[0] !== version || length === undefined || encrypted.length < 2 + length) return undefined;
  return Buffer.from(encrypted.subarray(2, 2 + length)).toString();
}

function headOf(keyId: string): Buffer {
  const id = Buffer.from(keyId);
  return Buffer.concat([Buffer.from([version, id.length]), id]);
}

/** Each part with its length before it: no two addresses are the same bytes. */
function associatedOf(head: Buffer, record: readonly string[]): Buffer {
  const parts = record.flatMap((part) => {
    const bytes = Buffer.from(part);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return [length, bytes];
  });
  return Buffer.concat([head, ...parts]);
}
