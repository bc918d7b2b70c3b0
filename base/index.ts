/**
 * What everything else stands on: ids, time, randomness, refusals, limits, key encoding. No I/O, no state, no
 * imports from other folders; nothing here can be lost.
 */
export { AssertionError, assert, unreachable } from "./assert.ts";
export { canonicalText, digestOf, uncanonical } from "./canonical.ts";
export { type Clock, fromRfc3339, isDate, systemClock, toRfc3339 } from "./clock.ts";
export { asError, type Fault, toFault } from "./fault.ts";
export { quotedPart, splitPath } from "./field-path.ts";
export {
  devTenantId,
  handleOf,
  handleOfChild,
  isUlid,
  newChildUlid,
  newUlid,
  systemTenantId,
  type Ulid,
  ulidTimeMs,
} from "./id.ts";
export { jsonBytes } from "./json-bytes.ts";
export { limits } from "./limits/index.ts";
export { isLoopbackIp, isLoopbackName } from "./loopback.ts";
export { lowerBound } from "./lower-bound.ts";
export { firstKeyOf, takeFrom } from "./maps.ts";
export { didYouMean, nearest } from "./nearest.ts";
export { isObject, keysOf } from "./objects.ts";
export { once } from "./once.ts";
export { hash32, hashPrefix, Random, type SeedWords } from "./random.ts";
export {
  type ErrorCode,
  errorCodes,
  type FieldError,
  invalid,
  isRefusal,
  orThrow,
  type Refusal,
  RefusalError,
  type RefusalExplanation,
  type RefusalOptions,
  refusalError,
  refuse,
} from "./refusal.ts";
export { newSeed, seedWords } from "./seed.ts";
export { shortened } from "./shortened.ts";
export { isZoneName } from "./time-zone.ts";
export { decodeTuple, encodeTuple, type TuplePart } from "./tuple.ts";
