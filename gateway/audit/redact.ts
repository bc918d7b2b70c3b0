import { createHmac } from "node:crypto";
import { isUlid } from "#base";
import type { AuditEntry } from "./entry.ts";

/**
 * An entry without what tells of persons: subjects, addresses and names that callers chose become keyed hashes, so that the
 * same person is the same text in every entry of a node; free text is left out.
 */
export function redacted(entry: AuditEntry, key: string): AuditEntry {
  const { kind, subject, owner, address, target, reason } = entry;
  const hashed = (text: string) =>
    `redacted:${createHmac("sha256", key).update(text).digest("hex").slice(0, 24)}`;
  const person = (text: string) => (/^api_key:/.test(text) ? text : hashed(text));
  return {
    ...entry,
    // Services and modules are no persons.
    ...(subject !== undefined && (kind === "user" || kind === "api_key") && { subject: person(subject) }),
    ...(owner !== undefined && { owner: person(owner) }),
    address: address === "" ? "" : hashed(address),
    ...(target !== undefined && {
      target: Object.fromEntries(
        Object.entries(target).map(([name, value]) => [name, isUlid(value) ? value : hashed(value)]),
      ),
    }),
    ...(reason !== undefined && { reason: "redacted" }),
  };
}
