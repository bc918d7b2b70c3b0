import { createHmac, timingSafeEqual } from "node:crypto";
import { limits } from "#base";
import type { Proven } from "./units/assign.ts";

/** The key of a unit in one experiment, and the shard that has it. Without the secret neither leads back to the id. */
export interface UnitKey {
  /** 16 bytes in base64url. */
  readonly key: string;
  readonly shard: number;
}

export function unitKeyOf(secret: string, experimentId: string, unitId: string): UnitKey {
  const mac = createHmac("sha256", secret).update(`${experimentId}\0${unitId}`).digest();
  return { key: mac.toString("base64url", 0, keyBytes), shard: shardOf(mac[0]!) };
}

export interface Receipt extends UnitKey {
  readonly proven: Proven;
}

/** `er1_` and 57 bytes: experiment 16, unit key 16, variant 1, phase 2, time 6, MAC 16. */
export function sealReceipt(secret: string, experimentId: string, key: string, proven: Proven): string {
  const bytes = Buffer.alloc(bodyBytes + macBytes);
  bytes.set(idBytes(experimentId), 0);
  bytes.write(key, 16, keyBytes, "base64url");
  bytes.writeUInt8(proven.variant, 32);
  bytes.writeUInt16BE(proven.phase, 33);
  bytes.writeUIntBE(proven.exposedAt, 35, 6);
  bytes.set(macOf(secret, bytes.subarray(0, bodyBytes)), bodyBytes);
  return prefix + bytes.toString("base64url");
}

/** `undefined`: forged, cut, changed, or of another experiment or tenant. */
export function openReceipt(secret: string, experimentId: string, receipt: string): Receipt | undefined {
  const bytes = Buffer.from(receipt.slice(prefix.length), "base64url");
  // One text for one receipt: decoding passes over characters that are none of the alphabet.
  if (bytes.length !== bodyBytes + macBytes || receipt !== prefix + bytes.toString("base64url"))
    return undefined;
  const body = bytes.subarray(0, bodyBytes);
  if (!timingSafeEqual(bytes.subarray(bodyBytes), macOf(secret, body))) return undefined;
  if (!idBytes(experimentId).equals(body.subarray(0, 16))) return undefined;
  return {
    key: body.toString("base64url", 16, 32),
    shard: shardOf(body[16]!),
    proven: {
      variant: body.readUInt8(32),
      phase: body.readUInt16BE(33),
      exposedAt: body.readUIntBE(35, 6),
    },
  };
}

const prefix = "er1_";
const keyBytes = 16;
const bodyBytes = 41;
const macBytes = 16;
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

function shardOf(byte: number): number {
  return byte % limits.experimentShards;
}

/** The 128 bits of a ULID. */
function idBytes(id: string): Buffer {
  const bytes = Buffer.alloc(16);
  let taken = 0;
  let left = 0;
  // Its 26 characters have 130 bits; the first two are 0.
  let bits = -2;
  for (let i = 0; i < id.length; i++) {
    left = ((left << 5) | alphabet.indexOf(id[i]!)) & 0x1fff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes[taken++] = (left >> bits) & 0xff;
  }
  return bytes;
}

/** No message of a unit key begins so. */
function macOf(secret: string, body: Uint8Array): Buffer {
  return createHmac("sha256", secret).update("receipt\0").update(body).digest().subarray(0, macBytes);
}
