import { toRfc3339 } from "#base";
import type { Message } from "./record.ts";
import { snakeCase } from "./resource.ts";

const contractNames = new Map<string, string>();

/**
 * What a record has, in the words of the contract: `createdAt` is `created_at`, in RFC 3339. What is absent or null is left out, and
 * so is a time of 0, which is none.
 */
export function messageOf(record: object, without: readonly string[] = []): Message {
  const message: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(record)) {
    const isTime = name.endsWith("At");
    if (value === undefined || value === null || (isTime && value === 0) || without.includes(name)) continue;
    const known = contractNames.get(name) ?? snakeCase(name);
    contractNames.set(name, known);
    message[known] = isTime ? toRfc3339(value as number) : value;
  }
  return message;
}
