/** A field of the request and what is wrong with it, as the server names them. */
export interface FieldError {
  readonly field: string;
  readonly reason: string;
}

export interface ErrorParts {
  /** One of the server's error codes: `NOT_FOUND`, `UNAVAILABLE`, … Branch on it. */
  readonly code: string;
  readonly detail: string;
  readonly reason?: string | undefined;
  readonly retryable?: boolean;
  readonly fields?: readonly FieldError[];
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  /** The HTTP status; 0 where there was no answer. */
  readonly status?: number;
  /** The problem as the server sent it, or what the connection was lost by. */
  readonly cause?: unknown;
}

/** Every failure of a call. */
export class SwitchyardError extends Error {
  override readonly name: string = "SwitchyardError";
  readonly code: string;
  readonly reason: string | undefined;
  readonly detail: string;
  readonly retryable: boolean;
  readonly fields: readonly FieldError[];
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly status: number;

  constructor({ code, detail, status = 0, ...parts }: ErrorParts) {
    super(`${code}: ${detail}`, parts.cause === undefined ? {} : { cause: parts.cause });
    this.code = code;
    this.detail = detail;
    this.status = status;
    this.reason = parts.reason;
    this.retryable = parts.retryable ?? false;
    this.fields = parts.fields ?? [];
    this.requestId = parts.requestId;
    this.retryAfterMs = parts.retryAfterMs;
  }
}

/** The error of a problem (RFC 9457) or of an entry of a batch. What is neither has the code that its status stands for. */
export function errorOf(problem: unknown, status = 0): SwitchyardError {
  const given = isObject(problem) ? problem : {};
  const known = byStatus[status] ?? { code: "INTERNAL", retryable: false };
  return new SwitchyardError({
    code: text(given.errorCode) ?? text(given.error_code) ?? known.code,
    detail: text(given.detail) ?? `the server answered ${status} without saying why`,
    reason: text(given.reason) || undefined,
    retryable: typeof given.retryable === "boolean" ? given.retryable : known.retryable,
    fields: Array.isArray(given.errors) ? given.errors : [],
    requestId: text(given.request_id),
    retryAfterMs: typeof given.retry_after_ms === "number" ? given.retry_after_ms : undefined,
    status: typeof given.status === "number" ? given.status : status,
    ...(isObject(problem) && { cause: problem }),
  });
}

/** No answer came: whether the request was done is not known. */
export function connectionLost(cause?: unknown): SwitchyardError {
  const why = cause instanceof Error ? `: ${deepest(cause)}` : "";
  const detail = `no answer from the server${why}`;
  return new SwitchyardError({
    code: "UNAVAILABLE",
    reason: "CONNECTION_LOST",
    detail,
    retryable: true,
    ...(cause !== undefined && { cause }),
  });
}

/** Something that was given is wrong: repeating the call would not mend it. */
export function unusable(detail: string, reason = "SETTINGS"): SwitchyardError {
  return new SwitchyardError({ code: "INVALID_ARGUMENT", reason, detail });
}

/** It is no node of the service that answers there, or something stands in between. */
export function notJson(cause: SyntaxError): SwitchyardError {
  const detail = "the answer is not JSON: this is not the address of the service";
  return new SwitchyardError({ code: "INTERNAL", reason: "NOT_JSON", detail, cause });
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a proxy in between answers, which is no problem of ours. */
const byStatus: Readonly<Record<number, { readonly code: string; readonly retryable: boolean }>> = {
  400: { code: "INVALID_ARGUMENT", retryable: false },
  401: { code: "UNAUTHENTICATED", retryable: false },
  403: { code: "PERMISSION_DENIED", retryable: false },
  404: { code: "NOT_FOUND", retryable: false },
  413: { code: "PAYLOAD_TOO_LARGE", retryable: false },
  429: { code: "RATE_LIMITED", retryable: true },
  502: { code: "UNAVAILABLE", retryable: true },
  503: { code: "UNAVAILABLE", retryable: true },
  504: { code: "TIMEOUT", retryable: true },
};

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** `fetch failed` says nothing; what caused it does. */
function deepest(error: Error): string {
  return error.cause instanceof Error ? deepest(error.cause) : error.message;
}
