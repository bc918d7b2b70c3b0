import type { Random } from "./random.ts";

/**
 * Ids are ULIDs. A pool's handle is the last 8 characters of its id; everything inside the pool carries that handle
 * at characters 10..17 of its own id, so any sub-resource id names its owner without a look-up.
 */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const codes = Uint8Array.from(alphabet, (character) => character.charCodeAt(0));
const ulidPattern = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

export type Ulid = string;

export function isUlid(text: string): boolean {
  return ulidPattern.test(text);
}

export function newUlid(nowMs: number, random: Random): Ulid {
  return timePart(nowMs) + six(random.uint32()) + six(random.uint32()) + six(random.uint32()).slice(0, 4);
}

/** `before`: the last one made for the same command. Ids of one command ascend: the next one is one more. */
export function newChildUlid(nowMs: number, handle: string, random: Random, before: Ulid = ""): Ulid {
  if (before !== "" && handleOfChild(before) === handle) return next(before);
  return timePart(nowMs) + handle + eight(random.uint32(), random.uint32());
}

/** The handle by which a pool (or any other parent) is addressed. */
export function handleOf(parentId: Ulid): string {
  return parentId.slice(18);
}

export function handleOfChild(childId: Ulid): string {
  return childId.slice(10, 18);
}

export function ulidTimeMs(id: Ulid): number {
  let time = 0;
  for (let i = 0; i < 10; i++) time = time * 32 + alphabet.indexOf(id[i]!);
  return time;
}

let lastMs = Number.NaN;
let lastTime = "";

/** Ids of one millisecond share their first ten characters: they are made once. */
function timePart(nowMs: number): string {
  if (nowMs !== lastMs) {
    lastTime = encodeTime(nowMs);
    lastMs = nowMs;
  }
  return lastTime;
}

function encodeTime(nowMs: number): string {
  let rest = nowMs;
  let text = "";
  for (let i = 0; i < 10; i++) {
    text = alphabet[rest % 32] + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

/** Thirty bits, the lowest first; in one go, because a text that grows by single characters is copied for each. */
function six(n: number): string {
  return String.fromCharCode(
    codes[n & 31]!,
    codes[(n >>> 5) & 31]!,
    codes[(n >>> 10) & 31]!,
    codes[(n >>> 15) & 31]!,
    codes[(n >>> 20) & 31]!,
    codes[(n >>> 25) & 31]!,
  );
}

/** The last of the random characters counts up; those that were the highest start again at 0. */
function next(id: Ulid): Ulid {
  let last = id.length - 1;
  while (id[last] === "Z") last--;
  return id.slice(0, last) + alphabet[alphabet.indexOf(id[last]!) + 1] + "0".repeat(id.length - 1 - last);
}

/** Thirty-nine bits, of which the second number gives ten. The first bit is 0: counting up never reaches the handle. */
function eight(n: number, more: number): string {
  return String.fromCharCode(
    codes[n & 15]!,
    codes[(n >>> 5) & 31]!,
    codes[(n >>> 10) & 31]!,
    codes[(n >>> 15) & 31]!,
    codes[(n >>> 20) & 31]!,
    codes[(n >>> 25) & 31]!,
    codes[more & 31]!,
    codes[(more >>> 5) & 31]!,
  );
}

/** Tenants with fixed ids. */
export const devTenantId = "00000000000000000000000DEV";
export const systemTenantId = "00000000000000000000SYSTEM";
