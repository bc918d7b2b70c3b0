import { createHash } from "node:crypto";
import { limits, refusalError } from "#base";
import { TemplateError } from "../../cel/template.ts";
import { environments, evaluate, rendering } from "../catalogue/template.ts";
import type { TriggerFile } from "../catalogue/types.ts";
import type { Incoming } from "../subscription/record.ts";

/** An event by what the catalogue says of its id and type. Throws a RefusalError where it has no id. */
export function eventOf(
  { key, event_id, event_type }: TriggerFile,
  event: unknown,
  headers: Readonly<Record<string, string>> = {},
): Incoming {
  const at = rendering("event", { event, headers });
  try {
    const id = textOf(evaluate(event_id, at));
    if (id === "") throw new TemplateError(`${event_id}: is empty`);
    const type = event_type === undefined ? key : textOf(evaluate(event_type, at));
    return { id: shortId(id), type: type.slice(0, typeLengthMax), event };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw refusalError("INVALID_ARGUMENT", `the event has no id: ${error.message}`);
  }
}

const typeLengthMax = 128;

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "bigint" ? String(value) : "";
}

/** It is a key of rows and of items: a long one is its hash. */
function shortId(id: string): string {
  const isShort = Buffer.byteLength(id) <= limits.triggerEventIdBytesMax;
  return isShort ? id : createHash("sha256").update(id).digest("base64url");
}

/** One for which the filter has no value does not pass. */
export function passes(filter: string, { event, type }: Incoming): boolean {
  if (filter === "") return true;
  const held = environments.filter.evaluate(filter, environments.filter.bind({ event, type }));
  return "value" in held && held.value === true;
}
