import type { Socket } from "node:net";
import type { ConnectionOptions } from "node:tls";

/** What modules call the outside with: behind it every address is checked and every answer bounded. */
export interface Outgoing {
  /** Throws an OutgoingError. An answer of any status is an answer. */
  request(request: OutgoingRequest): Promise<OutgoingResponse>;
  /** For protocols other than HTTP. Throws an OutgoingError. */
  connect(target: OutgoingConnection): Promise<Socket>;
  /** Whether calls to this host are surely refused: it is an address that may not be called. Of a name only a call shows it. */
  denies(host: string): boolean;
}

export interface OutgoingRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Names of headers that hold credentials, in lower case: a redirect to another origin goes without them. */
  readonly secretHeaders?: readonly string[];
  readonly signal?: AbortSignal;
  /** Of the whole call, redirects included; unset: `limits.outgoingTimeoutMs`. */
  readonly timeoutMs?: number;
  /** Of the answer, inflated; unset: `limits.outgoingBodyBytes`. */
  readonly maxBytes?: number;
  /** Unset: none is followed, and the redirect is the answer. */
  readonly maxRedirects?: number;
}

export interface OutgoingResponse {
  readonly status: number;
  /** Lower-case names; several values of one name with commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Beyond this a number is a time in seconds since the epoch. */
const epochSecondsMin = 1_000_000_000;

/** `Retry-After`, or what a provider says instead: seconds, seconds since the epoch or a date, as milliseconds from now. */
export function waitAskedFor(value: unknown, now: number): number | undefined {
  if (typeof value !== "number" && typeof value !== "string") return undefined;
  const seconds = Number(value);
  const isTime = seconds >= epochSecondsMin;
  const ms = Number.isFinite(seconds)
    ? seconds * 1_000 - (isTime ? now : 0)
    : Date.parse(String(value)) - now;
  return Number.isFinite(ms) ? Math.max(0, Math.ceil(ms)) : undefined;
}

export interface OutgoingConnection {
  readonly host: string;
  readonly port: number;
  /** Absent: in the clear. */
  readonly tls?: Pick<ConnectionOptions, "ca" | "cert" | "key" | "minVersion">;
  readonly signal?: AbortSignal;
  readonly timeoutMs: number;
}

/** Where a call ended that has no answer. */
type OutgoingStage =
  | "denied"
  | "dns"
  | "connect"
  | "tls"
  | "receive"
  | "redirect"
  | "too_large"
  | "timeout"
  | "aborted";

export class OutgoingError extends Error {
  override readonly name = "OutgoingError";
  readonly stage: OutgoingStage;
  /** Bytes of the request may have reached the other side: it may have acted on them. */
  readonly sent: boolean;

  constructor(stage: OutgoingStage, message: string, more: { cause?: unknown; sent?: boolean } = {}) {
    super(message, more.cause === undefined ? {} : { cause: more.cause });
    this.stage = stage;
    this.sent = more.sent ?? false;
  }

  withSent(sent: boolean): OutgoingError {
    return sent === this.sent
      ? this
      : new OutgoingError(this.stage, this.message, { cause: this.cause, sent });
  }
}
