/**
 * The surface: what clients need of the contract, and how a request of a method becomes HTTP. Pure functions over
 * `protos/gen/surface.json`, for the command line, generators and browsers: nothing here imports anything from outside.
 */
export {
  type Fields,
  isMap,
  isNamed,
  type Method,
  type NamedMethod,
  restName,
  type Schema,
  type Surface,
  wordsOf,
} from "./method.ts";
export { answerName, camelCase, pythonKeywords, snakeCase } from "./names.ts";
export { type HttpCall, httpOf, isDownload, isUpload, patchOf } from "./request.ts";
