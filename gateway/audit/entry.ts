/**
 * One call, as a line of the log shows it; the chain adds its place and hash. `grace`: calls of a tenant that strict enforcement of
 * entitlements would have refused, one entry for a minute, with what the first one was.
 */
export interface AuditEntry {
  readonly time: string;
  readonly type: "call" | "grace";
  readonly request_id: string;
  readonly plane: string;
  readonly protocol: string;
  readonly method: string;
  /** `pool:write` */
  readonly permission: string;
  /** `OK`, or the error code that the caller was told. */
  readonly outcome: string;
  /** Why, for denials. */
  readonly detail?: string;
  readonly kind?: string;
  readonly subject?: string;
  /** Who answers for the subject, where that is another principal. */
  readonly owner?: string;
  readonly tenant?: string;
  readonly environment?: string;
  readonly address: string;
  /** The ids in the path of the method, and of what it made. */
  readonly target?: Readonly<Record<string, string>>;
  /** What the caller gave as `reason`. */
  readonly reason?: string;
  /** The answer is a stored one: nothing was changed by this call. */
  readonly replayed?: true;
  /** Of `grace`: what the tenant lacked; `reason` says how: MISSING, STALE or UNPROVISIONED. */
  readonly entitlement?: string;
  /**
   * Denials of this caller, method and outcome within one batch, or calls let in by grace within a minute; absent: 1. `time` and
   * `target` are the first one's.
   */
  readonly count?: number;
}

/** What a thread tells the main thread. */
export interface AuditBatch {
  readonly entries: readonly AuditEntry[];
  /** Calls that should have been recorded and were not, because too many waited. */
  readonly lost: number;
}
