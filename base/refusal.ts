/**
 * The one error a caller is told. `code` is from the table below and decides status, gRPC code and retryability on
 * every door; `reason` narrows it; `detail` is for people.
 */
export type ErrorCode = keyof typeof errorCodes;

/** HTTP status (REST), gRPC/Connect code number and whether a repeat may succeed: the whole catalogue. */
export const errorCodes = {
  INVALID_ARGUMENT: { http: 400, grpc: 3, retryable: false, title: "Invalid argument" },
  UNAUTHENTICATED: { http: 401, grpc: 16, retryable: false, title: "Unauthenticated" },
  PERMISSION_DENIED: { http: 403, grpc: 7, retryable: false, title: "Permission denied" },
  TENANT_MISMATCH: { http: 403, grpc: 7, retryable: false, title: "Tenant mismatch" },
  ENTITLEMENT_DENIED: { http: 403, grpc: 7, retryable: false, title: "Entitlement denied" },
  NOT_FOUND: { http: 404, grpc: 5, retryable: false, title: "Not found" },
  METHOD_NOT_ALLOWED: { http: 405, grpc: 12, retryable: false, title: "Method not allowed" },
  NOT_ACCEPTABLE: { http: 406, grpc: 3, retryable: false, title: "Not acceptable" },
  REQUEST_TIMEOUT: { http: 408, grpc: 4, retryable: false, title: "Request timeout" },
  ALREADY_EXISTS: { http: 409, grpc: 6, retryable: false, title: "Already exists" },
  VERSION_CONFLICT: { http: 409, grpc: 10, retryable: false, title: "Version conflict" },
  LEASE_LOST: { http: 409, grpc: 10, retryable: false, title: "Lease lost" },
  STATE_CONFLICT: { http: 409, grpc: 10, retryable: false, title: "State conflict" },
  CURSOR_EXPIRED: { http: 410, grpc: 11, retryable: false, title: "Cursor expired" },
  FAILED_PRECONDITION: { http: 412, grpc: 9, retryable: false, title: "Failed precondition" },
  PAYLOAD_TOO_LARGE: { http: 413, grpc: 8, retryable: false, title: "Payload too large" },
  UNSUPPORTED_MEDIA_TYPE: { http: 415, grpc: 3, retryable: false, title: "Unsupported media type" },
  RANGE_NOT_SATISFIABLE: { http: 416, grpc: 11, retryable: false, title: "Range not satisfiable" },
  IDEMPOTENCY_KEY_REUSED: { http: 422, grpc: 3, retryable: false, title: "Idempotency key reused" },
  RATE_LIMITED: { http: 429, grpc: 8, retryable: true, title: "Rate limited" },
  QUOTA_EXCEEDED: { http: 429, grpc: 8, retryable: false, title: "Quota exceeded" },
  HEADERS_TOO_LARGE: { http: 431, grpc: 8, retryable: false, title: "Headers too large" },
  CANCELLED: { http: 499, grpc: 1, retryable: false, title: "Cancelled" },
  INTERNAL: { http: 500, grpc: 13, retryable: false, title: "Internal error" },
  UNIMPLEMENTED: { http: 501, grpc: 12, retryable: false, title: "Unimplemented" },
  UNAVAILABLE: { http: 503, grpc: 14, retryable: true, title: "Unavailable" },
  ROUTING_FAILED: { http: 503, grpc: 14, retryable: true, title: "Routing failed" },
  TIMEOUT: { http: 504, grpc: 4, retryable: true, title: "Timeout" },
} as const satisfies Record<string, { http: number; grpc: number; retryable: boolean; title: string }>;

export interface FieldError {
  /** Proto path of the field, e.g. `config.backoff.max_ms`. */
  readonly field: string;
  readonly reason: string;
}

export interface Refusal {
  readonly refused: true;
  readonly code: ErrorCode;
  readonly detail: string;
  readonly reason?: string;
  readonly fields?: readonly FieldError[];
  readonly retryAfterMs?: number;
  /** Why every candidate was out, where the caller asked for it. May be long: doors that have little room cut it. */
  readonly explanation?: RefusalExplanation;
  /** Further machine-readable members of the answer, e.g. `resets_at`. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

export interface RefusalExplanation {
  /** As the contract's `CandidateExplanation`. */
  readonly candidates: readonly object[];
  readonly leftOut: number;
}

export type RefusalOptions = Omit<Refusal, "refused" | "code" | "detail">;

export function refuse(code: ErrorCode, detail: string, options?: RefusalOptions): Refusal {
  return { refused: true, code, detail, ...options };
}

/** For what throws its refusal. */
export function refusalError(...why: Parameters<typeof refuse>): RefusalError {
  return new RefusalError(refuse(...why));
}

/** Fields of a request that cannot be taken: the detail tells of the first, `fields` of all. */
export function invalid(...fields: readonly FieldError[]): Refusal {
  const [first] = fields;
  return refuse("INVALID_ARGUMENT", `${first?.field} ${first?.reason}`, { fields });
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === "object" && value !== null && (value as { refused?: unknown }).refused === true;
}

/** The value itself; where it is a refusal, that is thrown. */
export function orThrow<Value>(value: Value | Refusal): Exclude<Value, Refusal> {
  if (isRefusal(value)) throw new RefusalError(value);
  return value as Exclude<Value, Refusal>;
}

/** A refusal on its way up a call stack; `toFault` and the gateway unwrap it. */
export class RefusalError extends Error {
  override readonly name = "RefusalError";
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    super(`${refusal.code}: ${refusal.detail}`);
    this.refusal = refusal;
  }
}
