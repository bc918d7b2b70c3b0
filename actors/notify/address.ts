import { handleOfChild, hash32 } from "#base";
import type { Address } from "#runtime";
import { audienceCount, audienceKeys } from "./outbound/types.ts";

/** Where the subscriber with this external id is; texts that only one audience may have are claimed there too. */
export function audienceOf(tenant: string, text: string): Address {
  return { kind: "audience", tenant, key: audienceKeys[hash32(text) % audienceCount]! };
}

/** Whether ids with this handle are of an audience. */
export function isAudienceKey(key: string): boolean {
  return keys.has(key);
}

const keys = new Set(audienceKeys);
const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** `T` and the hash in 7 Crockford digits; topics with the same hash share an entity. */
export function topicAddress(tenant: string, topicKey: string): Address {
  let rest = hash32(topicKey);
  let text = "";
  for (; text.length < 7; rest = Math.floor(rest / 32)) text = digits[rest % 32]! + text;
  return { kind: "topic", tenant, key: `T${text}` };
}

export function noticeAddress(tenant: string, workflowKey: string): Address {
  return { kind: "notice", tenant, key: workflowKey };
}

export function grouped<Value>(
  values: Iterable<Value>,
  keyOf: (value: Value) => string,
): Map<string, Value[]> {
  const found = new Map<string, Value[]>();
  for (const value of values) {
    const key = keyOf(value);
    const known = found.get(key);
    if (known) known.push(value);
    else found.set(key, [value]);
  }
  return found;
}

/** Values by the key of the audience that has what `idOf` names: every id says so. */
export function byAudience<Value>(
  values: Iterable<Value>,
  idOf: (value: Value) => string,
): Map<string, Value[]> {
  return grouped(values, (value) => handleOfChild(idOf(value)));
}
