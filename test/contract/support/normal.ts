import type { Outcome } from "./clients.ts";

/**
 * What must be the same on every door: ids, times and references, which are new each time, are replaced by their kind.
 */
export function normal(outcome: Outcome): unknown {
  return outcome.ok ? { ok: walk(outcome.message) } : { error: inRestNames(walk(outcome.error)) };
}

/** REST has its own names for the fields of a page. */
function inRestNames(error: unknown): unknown {
  return JSON.parse(
    JSON.stringify(error).replaceAll(/\bpage_(?:size|token)\b/g, (name) =>
      name === "page_size" ? "limit" : "cursor",
    ),
  );
}

function walk(value: unknown, key = ""): unknown {
  if (typeof value === "string") return text(value, key);
  if (Array.isArray(value)) return value.map((item) => walk(item));
  if (typeof value !== "object" || value === null) return volatile.has(key) ? `<${key}>` : value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  members.sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, walk(member, name)]));
}

function text(value: string, key: string): string {
  if (value !== "" && opaque.has(key)) return `<${key}>`;
  return (
    value
      .replace(/\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b/g, "<id>")
      // Names that differ from door to door.
      .replace(/\bunique[-.]\d+(?=\b|_)/g, "<unique>")
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "<time>")
      .replace(/\(ref: [0-9a-f]{8}\)/, "(ref)")
      .replace(/127\.0\.0\.1:\d+/g, "<loopback>")
      .replace(/g_[0-9a-f]{32}/g, "<group>")
      .replace(/\bohr_[0-9a-f]{64}\b/g, "<report>")
      .replace(/sha256:[0-9a-f]{64}/g, "<digest>")
      .replace(/\bkey-[0-9a-f]{12}\b/g, "<key>")
      .replace(/^\d+(-\d+){2,3}$/, "<event>")
  );
}

/** Opaque strings. */
const opaque = new Set([
  "authorization_receipt",
  "next_page_token",
  "cursor",
  "lease_token",
  "receipt",
  "prefix",
  "secret",
  "token",
  "connect_url",
  "hook_url",
]);

/** Numbers that depend on the time or on the number of calls. */
const volatile = new Set([
  // Of all areas, which run together.
  "webhooks",
  "unread_count",
  "kept",
  "left_ms",
  "total",
  "retry_after_ms",
  "average_wait_seconds",
  "oldest_item_age_seconds",
  "oldest_ready_age_seconds",
  "head",
  "durable_head",
  "mailbox_depth",
  "mailbox_bytes",
  "entities",
  "buffer_bytes",
]);
