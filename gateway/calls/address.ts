import { handleOf, handleOfChild, invalid, isObject, isUlid, RefusalError, systemTenantId } from "#base";
import type { Address } from "#runtime";
import type { ActorKey } from "../contract/method.ts";
import type { Call } from "./call.ts";

/** Which entity answers, from the contract's actor key and the message. */
export function addressOf(call: Call, key: ActorKey, message: unknown): Address {
  return { kind: key.kind, tenant: call.tenant ?? systemTenantId, key: keyOf(key, message) };
}

function keyOf(key: ActorKey, message: unknown): string {
  switch (key.form) {
    case "constant":
      return key.value ?? "";
    case "whole":
      return key.field === undefined ? "" : fieldOf(key.field, message);
    case "handle":
      return handleOf(ulidOf(key.field ?? "", message));
    case "child":
      return handleOfChild(ulidOf(key.field ?? "", message));
  }
}

function ulidOf(field: string, message: unknown): string {
  const value = fieldOf(field, message);
  if (!isUlid(value)) throw new RefusalError(invalid({ field, reason: "must be a ULID" }));
  return value;
}

/** `field` may be a path (`lease.queue_item_id`). */
function fieldOf(field: string, message: unknown): string {
  let value = message;
  for (const name of field.split(".")) value = isObject(value) ? value[name] : undefined;
  if (typeof value !== "string" || value === "")
    throw new RefusalError(invalid({ field, reason: "is required" }));
  return value;
}
