import { limits, RefusalError, refusalError } from "#base";
import type { Call } from "../call.ts";
import { deadlineOf } from "../deadline-of.ts";
import type { PipelineParts, Stage } from "./stage.ts";

/** Refuses what the contract's rules do not allow, naming every field, and what the headers say wrongly. */
export function validation(_parts: PipelineParts): Stage {
  return {
    name: "validation",
    enter(call, message) {
      if (hasOneMessage(call) || message instanceof RefusalError) check(call, message);
      checkIdempotencyKey(call);
      call.deadlineMs = deadlineOf(call, message);
    },
    each: check,
  };
}

function hasOneMessage(call: Call): boolean {
  return call.method.kind === "unary" || call.method.kind === "server_streaming";
}

function check(call: Call, message: unknown): void {
  if (message instanceof RefusalError) throw message;
  const fields = call.method.validate(message);
  if (fields === undefined || fields.length === 0) return;
  const [first] = fields;
  const more = fields.length > 1 ? ` (and ${fields.length - 1} more)` : "";
  throw refusalError("INVALID_ARGUMENT", `${first!.field} ${first!.reason}${more}`.trimStart(), { fields });
}

function checkIdempotencyKey(call: Call): void {
  if (!call.method.idempotent) return;
  const key = call.headers.get("idempotency-key");
  if (key === undefined) return;
  if (key.length > limits.idempotencyKeyLengthMax || !visible.test(key))
    throw refusalError("INVALID_ARGUMENT", "Idempotency-Key must be 1 to 255 visible characters");
}

const visible = /^[\x21-\x7e]+$/;
