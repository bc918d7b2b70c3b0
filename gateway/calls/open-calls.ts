import { limits, RefusalError, refusalError, toFault } from "#base";
import type { Call } from "./call.ts";
import { Timeout } from "./deadlines.ts";
import { CredentialError } from "./stages/credential-error.ts";
import type { Tenants } from "./tenants.ts";

/** Calls of this thread that stay open, by the subject whose credential let them in. */
export class OpenCalls {
  readonly #bySubject = new Map<string, Set<() => void>>();

  /** What let the calls of this subject in may have changed; absent: all calls. */
  doubt(subject?: string): void {
    for (const [one, looks] of this.#bySubject)
      if (subject === undefined || one === subject) for (const look of [...looks]) look();
  }

  /** Returns how to take it away. */
  add(subject: string, look: () => void): () => void {
    const looks = this.#bySubject.get(subject) ?? new Set();
    this.#bySubject.set(subject, looks.add(look));
    return () => {
      looks.delete(look);
      if (looks.size === 0 && this.#bySubject.get(subject) === looks) this.#bySubject.delete(subject);
    };
  }
}

interface StandingParts {
  readonly openCalls: OpenCalls;
  readonly tenants: Tenants | undefined;
  /** Whether the call would be let in now; throws a RefusalError where it would not. */
  readonly again: (call: Call) => Promise<void>;
}

/**
 * An open call goes on as long as it would be let in again. That is looked at when its credential or its tenant may have changed,
 * and now and then in case neither was told; its credential's end ends it. `cut` is called once, with the reason.
 */
export class Standing {
  readonly #call: Call;
  readonly #parts: StandingParts;
  readonly #cut: (refusal: RefusalError) => void;
  readonly #stops: (() => void)[] = [];
  readonly #expiry: Timeout | undefined;
  #next: Timeout | undefined;
  /** Since the first look that has not been answered. */
  #unknown: Timeout | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #isLooking = false;
  #isDoubted = false;
  #isOver = false;

  constructor(call: Call, parts: StandingParts, cut: (refusal: RefusalError) => void) {
    this.#call = call;
    this.#parts = parts;
    this.#cut = cut;
    const { principal, tenant } = call;
    if (principal !== undefined) this.#stops.push(parts.openCalls.add(principal.subject, this.#look));
    if (tenant !== undefined && parts.tenants !== undefined)
      this.#stops.push(parts.tenants.watch(tenant, this.#look));
    const expiresAtMs = principal?.expiresAtMs;
    if (expiresAtMs !== undefined)
      this.#expiry = new Timeout(expiresAtMs - Date.now(), () => this.#end(expired()));
    // A broadcast that came after the stages looked did not reach this call.
    this.#look();
  }

  stop(): void {
    this.#isOver = true;
    for (const stop of this.#stops) stop();
    this.#expiry?.clear();
    this.#next?.clear();
    this.#unknown?.clear();
  }

  /** A tenant that is changed again and again has its streams looked at a few times a second, not for every change. */
  readonly #look = (): void => {
    if (this.#isLooking) this.#isDoubted = true;
    else if (performance.now() - this.#lookedAt >= limits.openCallRetryMs) void this.#again();
    else this.#lookIn(limits.openCallRetryMs);
  };

  #lookIn(ms: number): void {
    this.#next?.clear();
    this.#next = new Timeout(ms, () => void this.#again());
  }

  async #again(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#isDoubted = false;
    this.#next?.clear();
    this.#unknown ??= new Timeout(limits.openCallUnknownMs, () => this.#end(unknown()));
    let isKnown = true;
    try {
      await this.#parts.again(this.#call);
      this.#unknown?.clear();
      this.#unknown = undefined;
    } catch (thrown) {
      const fault = toFault(thrown);
      // A shard that moves, or an issuer that is slow, is no reason to end a call.
      isKnown = "refusal" in fault && !passing.has(fault.refusal.code);
      if ("refusal" in fault && isKnown) this.#end(new RefusalError(fault.refusal));
    }
    this.#isLooking = false;
    this.#lookedAt = performance.now();
    if (this.#isOver) return;
    this.#lookIn(isKnown && !this.#isDoubted ? limits.openCallLookMs : limits.openCallRetryMs);
  }

  #end(refusal: RefusalError): void {
    if (this.#isOver) return;
    this.stop();
    this.#cut(refusal);
  }
}

const passing = new Set(["UNAVAILABLE", "RATE_LIMITED", "TIMEOUT", "CANCELLED", "INTERNAL"]);

function expired(): RefusalError {
  return new CredentialError("expired", "the credential of this call has expired");
}

function unknown(): RefusalError {
  return refusalError("UNAVAILABLE", "whether the credential of this call still holds cannot be found out", {
    retryAfterMs: limits.retryAfterMs,
  });
}
