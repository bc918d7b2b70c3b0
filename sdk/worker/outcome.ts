import { SwitchyardError } from "../errors.ts";

/** Thrown by a handler: the item fails for good, and is a dead letter. */
export class PermanentError extends Error {
  override readonly name = "PermanentError";
}

/** Thrown by a handler: the attempt failed, and the next one is to come after this time. */
export class RetryLater extends Error {
  override readonly name = "RetryLater";
  readonly delayMs: number;

  constructor(delayMs: number, message = `again in ${delayMs} ms`) {
    super(message);
    this.delayMs = delayMs;
  }
}

/** Thrown by a handler: the item is not what this worker takes, and is a dead letter at once. */
export class Reject extends Error {
  override readonly name = "Reject";
}

/** Thrown by a handler: the item goes back as it came, for another worker; it counts as no attempt. */
export class Release extends Error {
  override readonly name = "Release";
}

/** Why the `signal` of a handler is aborted: its result will not be taken any more. */
export class LeaseLost extends SwitchyardError {
  override readonly name = "LeaseLost";

  constructor(reason: string) {
    super({ code: "LEASE_LOST", reason, detail: `the lease is lost: ${reason}`, status: 409 });
  }
}

/** A lease as the server names it. */
export interface Lease {
  readonly queue_item_id: string;
  readonly lease_token: string;
}

/** A settlement as JSON text: written once, and sent again as it is. */
export function completion(lease: Lease, result: unknown): string {
  if (result === undefined) return JSON.stringify({ ...lease, outcome: "complete" });
  let text: string | undefined;
  try {
    text = JSON.stringify(result);
  } catch (error) {
    return unsendable(lease, "result_not_json", `the result is not JSON: ${messageOf(error)}`);
  }
  const problem = text === undefined ? "it is a function or a symbol" : problemOf(text);
  if (problem !== undefined)
    return unsendable(lease, "result_not_json", `the result is not JSON: ${problem}`);
  if (isLarge(text!))
    return unsendable(lease, "result_too_large", `the result is larger than ${resultBytesMax} bytes`);
  return `${JSON.stringify({ ...lease, outcome: "complete" }).slice(0, -1)},"result":${text}}`;
}

/** What a thrown error makes of the item. */
export function failure(lease: Lease, thrown: unknown): string {
  if (thrown instanceof Release) return release(lease);
  const error = sendable(messageOf(thrown), errorLengthMax);
  const error_type = thrown instanceof Error ? sendable(thrown.name, errorTypeLengthMax) : "Error";
  const told = { ...lease, error, error_type };
  if (thrown instanceof Reject) return JSON.stringify({ ...told, outcome: "reject" });
  return JSON.stringify({
    ...told,
    outcome: "fail",
    ...(thrown instanceof PermanentError && { retryable: false }),
    ...(thrown instanceof RetryLater && {
      delay_ms: Math.min(Math.max(0, Math.round(thrown.delayMs)), delayMsMax),
    }),
  });
}

/** A result that cannot be sent can never be: the next attempt would end alike. */
export function unsendable(lease: Lease, error_type: string, error: string): string {
  const told = { error: sendable(error, errorLengthMax), error_type };
  return JSON.stringify({ ...lease, outcome: "fail", ...told, retryable: false });
}

export function release(lease: Lease): string {
  return JSON.stringify({ ...lease, outcome: "release" });
}

/** Bounds of the server. */
const resultBytesMax = 262_144;
const errorLengthMax = 4_096;
const errorTypeLengthMax = 128;
const delayMsMax = 86_400_000;
/** The server reads 64 levels; the frame and its settlement are five of them. */
const resultDepthMax = 59;

function isLarge(text: string): boolean {
  if (text.length > resultBytesMax) return true;
  return text.length * 3 > resultBytesMax && new TextEncoder().encode(text).length > resultBytesMax;
}

/** What JSON.stringify writes and the server does not read. */
function problemOf(text: string): string | undefined {
  if (/(?<!\\)(?:\\\\)*\\ud[89a-f]/.test(text)) return "it holds half of a character (a lone surrogate)";
  if (text.includes('"__proto__":')) return "it has the key __proto__";
  return depthOf(text) > resultDepthMax ? `it is nested deeper than ${resultDepthMax}` : undefined;
}

function depthOf(text: string): number {
  if (text.length <= resultDepthMax * 2) return 0;
  let depth = 0;
  let deepest = 0;
  for (const [mark] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (mark === "[" || mark === "{") deepest = Math.max(deepest, ++depth);
    else if (mark === "]" || mark === "}") depth--;
  }
  return deepest;
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Well formed, and no longer than the server takes. */
function sendable(text: string, lengthMax: number): string {
  return text.slice(0, lengthMax).replace(/\p{Surrogate}/gu, "\ufffd");
}
