import type { JsonValue } from "@bufbuild/protobuf";
import fc, { type JsonSharedConstraints } from "fast-check";

/** Keys of a map: no door accepts `__proto__`, and no codec has to keep it. */
export const keys = (constraints?: fc.StringConstraints) =>
  fc.string(constraints).filter((name) => name !== "__proto__");

/** JSON as a body brings it: without negative zeros, which JSON does not write, and without the key `__proto__`. */
export const bodies = (constraints?: JsonSharedConstraints) =>
  fc
    .jsonValue(constraints)
    .map((value) => JSON.stringify(value))
    .filter((text) => !text.includes("__proto__"))
    .map((text) => JSON.parse(text) as JsonValue);
