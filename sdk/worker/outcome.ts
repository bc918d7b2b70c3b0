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

/** How far an item is, as `GET` of the item shows it while it is leased. */
export interface Progress {
  /** 0 to 100. */
  readonly percent?: number | undefined;
  /** Cut at 512 characters. */
  readonly note?: string | undefined;
  /** At most 4 KiB as JSON. */
  readonly data?: unknown;
}

/** A settlement as JSON text: written once, and sent again as it is. */
export function completion(lease: Lease, result: unknown): string {
  if (result === undefined) return JSON.stringify({ ...lease, outcome: "complete" });
  const { text, problem } = jsonOf(result, resultDepthMax);
  if (problem !== undefined)
    return unsendable(lease, "result_not_json", `the result is not JSON: ${problem}`);
  if (isLarge(text, resultBytesMax))
    return unsendable(lease, "result_too_large", `the result is larger than ${resultBytesMax} bytes`);
  return `${JSON.stringify({ ...lease, outcome: "complete" }).slice(0, -1)},"result":${text}}`;
}

/**
 * Progress is for people who look on, and harms no item: a long note is cut, a percentage is put between 0 and 100, and `problem` is told
 * of data that is left out.
 */
export function sendableProgress(
  { percent, note, data }: Progress,
  problem: (detail: string) => void,
): Progress {
  const json = data === undefined ? undefined : jsonOf(data, resultDepthMax - 1);
  if (json?.problem !== undefined) problem(`progress without its data, which is not JSON: ${json.problem}`);
  const isSent = json?.text !== undefined && !isLarge(json.text, progressDataBytesMax);
  if (json?.text !== undefined && !isSent)
    problem(`progress without its data, which is larger than ${progressDataBytesMax} bytes`);
  return {
    ...(Number.isFinite(percent) && { percent: Math.min(100, Math.max(0, percent!)) }),
    ...(note !== undefined && { note: sendable(textOf(note), noteLengthMax) }),
    ...(isSent && { data: JSON.parse(json.text) }),
  };
}

/** What a thrown error makes of the item. */
export function failure(lease: Lease, thrown: unknown): string {
  if (thrown instanceof Release) return release(lease);
  const error = sendable(messageOf(thrown), errorLengthMax);
  const error_type = thrown instanceof Error ? sendable(textOf(thrown.name), errorTypeLengthMax) : "Error";
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
const progressDataBytesMax = 4_096;
const noteLengthMax = 512;
const errorLengthMax = 4_096;
const errorTypeLengthMax = 128;
const delayMsMax = 86_400_000;
/** The server reads 64 levels; the frame and its settlement are five of them. */
const resultDepthMax = 59;

function isLarge(text: string, bytesMax: number): boolean {
  if (text.length > bytesMax) return true;
  return text.length * 3 > bytesMax && new TextEncoder().encode(text).length > bytesMax;
}

type Json =
  | { readonly text: string; readonly problem?: never }
  | { readonly text?: never; readonly problem: string };

/** As the server reads it, or why it would not. */
function jsonOf(value: unknown, depthMax: number): Json {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    return { problem: messageOf(error) };
  }
  const problem = text === undefined ? "it is a function or a symbol" : problemOf(text, depthMax);
  return problem === undefined ? { text: text! } : { problem };
}

/** What JSON.stringify writes and the server does not read. */
function problemOf(text: string, depthMax: number): string | undefined {
  if (/(?<!\\)(?:\\\\)*\\ud[89a-f]/.test(text)) return "it holds half of a character (a lone surrogate)";
  if (text.includes('"__proto__":')) return "it has the key __proto__";
  return text.length > 2 * depthMax && depthOf(text) > depthMax
    ? `it is nested deeper than ${depthMax}`
    : undefined;
}

function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [mark] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (mark === "[" || mark === "{") deepest = Math.max(deepest, ++depth);
    else if (mark === "]" || mark === "}") depth--;
  }
  return deepest;
}

function messageOf(thrown: unknown): string {
  return textOf(thrown instanceof Error ? thrown.message : thrown);
}

/** Whatever was thrown: an object without a prototype has no text, and what has one may throw as well. */
function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return "what was thrown has no text";
  }
}

/** Well formed, and no longer than the server takes. */
function sendable(text: string, lengthMax: number): string {
  return text.slice(0, lengthMax).replace(/\p{Surrogate}/gu, "\ufffd");
}
