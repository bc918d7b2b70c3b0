import type { ErrorCode } from "#base";

/** What each code means to its caller, and what to do: the pages behind `type` and docs/errors.md. */
export const errorAdvice: Readonly<Record<ErrorCode, { readonly means: string; readonly do: string }>> = {
  INVALID_ARGUMENT: {
    means: "The request itself is wrong: a field, a parameter, a header or the JSON.",
    do: "Mend what `errors` and `detail` name; the same request will fail again.",
  },
  UNAUTHENTICATED: {
    means: "There are no credentials, they are not valid any more, or there are two kinds at once.",
    do: "Send a bearer token or an X-API-Key, not both.",
  },
  PERMISSION_DENIED: {
    means:
      "The caller is known and may not do this. `reason`: TENANT_SUSPENDED, TENANT_UNKNOWN (its tenant was deleted, or is not of this installation) or ENVIRONMENT_MODE; none: a role or scope is missing.",
    do: "Ask for the role or scope that the method's page names; with a `reason`, ask the operator.",
  },
  TENANT_MISMATCH: {
    means: "X-Tenant-ID names another tenant than the credentials.",
    do: "Leave the header out, or use credentials of that tenant.",
  },
  ENTITLEMENT_DENIED: {
    means:
      "The tenant's entitlements do not include this. `reason`: DENIED, MISSING, STALE (the snapshot is out of date) or UNPROVISIONED (there never was one).",
    do: "Ask the operator; roles and scopes do not help.",
  },
  NOT_FOUND: {
    means: "There is no such thing, or it is not yours to see.",
    do: "Check the id, the tenant and the environment.",
  },
  METHOD_NOT_ALLOWED: {
    means: "The path exists, with other verbs.",
    do: "Use one that the Allow header lists.",
  },
  NOT_ACCEPTABLE: {
    means: "The address is served in a format that `Accept` does not name.",
    do: "Name the format, or leave `Accept` out.",
  },
  REQUEST_TIMEOUT: {
    means: "The request body came too slowly.",
    do: "Send it again over a better connection, or in smaller parts.",
  },
  ALREADY_EXISTS: {
    means: "Something with this identity is there already.",
    do: "Read it instead, or choose another identity.",
  },
  VERSION_CONFLICT: {
    means: "It was changed since you read it: `record_version` does not match.",
    do: "Read it again, apply your change to what is there now, and send the new version.",
  },
  LEASE_LOST: {
    means:
      "The lease token is not valid any more: it expired, or the item was reassigned or cancelled (`reason`).",
    do: "Drop the work; another recipient has the item, or it is over.",
  },
  STATE_CONFLICT: {
    means: "It is in a state in which this cannot be done.",
    do: "Read its state; `detail` says which one it is in.",
  },
  CURSOR_EXPIRED: {
    means: "The position is older than what is kept.",
    do: "Start again from the earliest position, and read what was missed in another way.",
  },
  FAILED_PRECONDITION: {
    means: "A condition of the request or of the system does not hold; `reason` names it.",
    do: "Change what the reason names (enable the pool, remove the items), then try again.",
  },
  PAYLOAD_TOO_LARGE: {
    means: "The body is larger than this service takes.",
    do: "Send less: fewer items in a batch, or a reference instead of the content.",
  },
  UNSUPPORTED_MEDIA_TYPE: {
    means: "The body's Content-Type or Content-Encoding is not one this method takes.",
    do: "Send application/json, as it is or in gzip.",
  },
  RANGE_NOT_SATISFIABLE: {
    means: "The object has none of the bytes that were asked for; `size` says how many it has.",
    do: "Ask for a range that begins before its end.",
  },
  IDEMPOTENCY_KEY_REUSED: {
    means: "The Idempotency-Key was used with another body.",
    do: "Draw a new key for a new request; use the old one only to repeat the old request.",
  },
  RATE_LIMITED: {
    means:
      "Too much at once. `reason`: RATE, CONCURRENCY, STREAM_BACKPRESSURE, MAILBOX_FULL, QUEUE_FULL (`max_depth`, `max_bytes`) or CLASSES (eligibility).",
    do: "Wait as long as Retry-After says, then repeat.",
  },
  QUOTA_EXCEEDED: {
    means:
      "The tenant has used up its quota of the day (UTC) for this operation (`reason` DAILY), or has stored as much as it may (STORAGE).",
    do: "DAILY: wait until `resets_at`, or ask for more; repeating earlier does not help. STORAGE: delete what is not needed.",
  },
  HEADERS_TOO_LARGE: {
    means: "Too many or too large headers.",
    do: "Send fewer; cookies are the usual cause.",
  },
  CANCELLED: {
    means: "The caller went away before the answer was ready.",
    do: "Repeat it if you still want the answer.",
  },
  INTERNAL: {
    means: "Our fault. `detail` carries a reference under which we logged the cause.",
    do: "Tell the operator the reference. With an Idempotency-Key it is safe to repeat.",
  },
  UNIMPLEMENTED: {
    means: "This server does not do that, at least not over this protocol.",
    do: "Read `detail`: it names the way that works, where there is one.",
  },
  UNAVAILABLE: {
    means:
      "Not now. `reason`, for example: STORAGE_FULL, CLOCK, MOVED, STARTING, DRAINING, REQUEST_MEMORY; DATA_DAMAGED lasts until the operator has restored the data.",
    do: "Repeat with growing pauses; with an Idempotency-Key nothing is done twice.",
  },
  ROUTING_FAILED: {
    means: "No recipient of the pool can take this now.",
    do: "Repeat later, or put the item on the queue, where it waits for one. With `explain` the error says why for each recipient.",
  },
  TIMEOUT: {
    means: "The answer was not ready before the deadline; whether it happened is not known.",
    do: "Repeat with the same Idempotency-Key: if it happened, you get its answer.",
  },
};
