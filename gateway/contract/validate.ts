import type { DescMessage, DescMethod, FileRegistry } from "@bufbuild/protobuf";
import type { Ajv, ErrorObject, ValidateFunction } from "ajv";
import { type FieldError, limits, shortened } from "#base";
import { errorHint, errorReason } from "./errors.ts";
import type { Pagination } from "./method.ts";
import { normalizePage } from "./page.ts";
import { fieldPath } from "./path.ts";
import { fromProtoJson } from "./proto-json.ts";
import { requestSchema } from "./request-schema.ts";
import { type UpperUlids, upperUlidsOf } from "./ulid-case.ts";
import { unsettableReason } from "./unsettable.ts";
import { maskErrors } from "./update-mask.ts";

export type Validate = (message: unknown) => readonly FieldError[] | undefined;

/**
 * A validator of one method's request. It is compiled when the method is first called: compiling all of them takes
 * longer than the service may take to start. What is valid pays one pass; only what is not is looked at again, first
 * for the other spellings ProtoJSON allows and for ids in lower case, then for every error there is.
 */
export function validatorOf(
  registry: FileRegistry,
  method: DescMethod,
  pagination: Pagination | undefined,
  ajv: Compilers,
): Validate {
  const desc = method.input;
  const masked = desc.fields.some(({ name }) => name === "update_mask");
  let quick: ValidateFunction | undefined;
  let thorough: ValidateFunction | undefined;
  let upperUlids: UpperUlids | undefined;
  return (message) => {
    quick ??= ajv.quick.compile(requestSchema(registry, desc, pagination));
    if (!quick(message)) {
      fromProtoJson(desc, message);
      upperUlids ??= upperUlidsOf(registry, desc) ?? unchanged;
      upperUlids(message);
      if (!quick(message)) return fieldErrors(desc, errorsOf(message, quick), reasonOf);
    }
    if (masked) return maskErrors(desc, message, unsettable);
    return pagination === undefined
      ? undefined
      : normalizePage(pagination, message as Record<string, unknown>);
  };

  function unsettable(name: string): string | undefined {
    return unsettableReason(registry, method.output, name);
  }

  /** A field of the resource that this request does not take is no typing error: the reason says what to do. */
  function reasonOf(error: ErrorObject): Reason | undefined {
    const unknown = error.keyword === "additionalProperties" && error.instancePath === "";
    const known = unknown ? unsettable(error.params.additionalProperty) : undefined;
    const told = known ?? errorReason(error);
    return told === undefined ? undefined : { told, hint: known === undefined ? errorHint(error) : "" };
  }

  function errorsOf(message: unknown, first: ValidateFunction): readonly ErrorObject[] {
    if (isLarge(message)) return first.errors ?? [];
    thorough ??= ajv.thorough.compile(requestSchema(registry, desc, pagination));
    thorough(message);
    return thorough.errors ?? [];
  }
}

const unchanged: UpperUlids = () => undefined;

export interface Compilers {
  /** Stops at the first error. */
  readonly quick: Ajv;
  /** Finds them all. */
  readonly thorough: Ajv;
}

interface Reason {
  readonly told: string;
  /** What was probably meant; empty: nothing is near. */
  readonly hint: string;
}

function fieldErrors(
  desc: DescMessage,
  errors: readonly ErrorObject[],
  reasonOf: (error: ErrorObject) => Reason | undefined,
): readonly FieldError[] {
  const found = new Map<string, FieldError>();
  /** Long reasons, by the first field that has them: the others name that field instead of telling it again. */
  const long = new Map<string, string>();
  let length = 0;
  for (const error of errors) {
    const why = reasonOf(error);
    if (why === undefined) continue;
    const { told, hint } = why;
    // A key that is not ours may be as long as the body; its beginning names it well enough.
    const field = shortened(fieldPath(desc, error), limits.fieldPathLengthMax);
    if (found.has(field)) continue;
    const first = long.get(told);
    const reason = `${first === undefined ? told : `is wrong as ${first} is`}${hint}`;
    if (told.length > limits.fieldPathLengthMax) long.set(told, first ?? field);
    length += field.length + reason.length;
    if (found.size > 0 && length > limits.fieldErrorsLengthMax) break;
    found.set(field, { field, reason });
    if (found.size === limits.fieldErrorsMax) break;
  }
  // What was refused is never let through for want of words.
  return found.size > 0 ? [...found.values()] : [{ field: "", reason: "is not valid" }];
}

/** Collecting every error of a large message would cost more than the message. */
function isLarge(message: unknown): boolean {
  let nodes = 0;
  const waiting: unknown[] = [message];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== "object" || value === null) continue;
    const children = Object.values(value);
    nodes += children.length;
    if (nodes > limits.thoroughNodesMax) return true;
    waiting.push(...children);
  }
  return false;
}
