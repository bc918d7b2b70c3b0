import type { RouteEntry } from "#actors";
import { type ErrorCode, limits, type Refusal } from "#base";
import type { Call } from "../calls/call.ts";
import type { CallAudit, Ending } from "../calls/stages/stage.ts";
import type { AuditBatch, AuditEntry } from "./entry.ts";
import { targetOf, textIn } from "./target.ts";

/**
 * Records the calls of one thread and sends them in batches. Equal denials within a batch are one entry with a count: a
 * caller with a bad key costs ten entries a second, however often it tries.
 */
export class AuditRecorder implements CallAudit {
  readonly #send: (batch: AuditBatch) => void;
  readonly #batchMs: number;
  #entries: AuditEntry[] = [];
  #denials = new Map<string, { entry: AuditEntry; place: number }>();
  #lost = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #grace = new Map<string, AuditEntry>();
  #graceTimer: NodeJS.Timeout | undefined;

  constructor(send: (batch: AuditBatch) => void, batchMs: number = limits.auditBatchMs) {
    this.#send = send;
    this.#batchMs = batchMs;
  }

  ended(call: Call, message: unknown, ending: Ending): void {
    const { refusal } = ending;
    const { audit } = call.method;
    if (refusal === undefined) {
      if (audit !== "none") this.#push(entryOf(call, message, ending));
    } else if (isDenial(refusal, call)) this.#deny(entryOf(call, message, ending));
    else if (audit === "always") this.#push(entryOf(call, message, ending));
  }

  visited({ requestId, remoteAddress }: Visitor, { act, about, caller, refusal, target }: RouteEntry): void {
    const entry: AuditEntry = {
      time: new Date().toISOString(),
      type: "call",
      request_id: requestId,
      plane: "external",
      protocol: "rest",
      method: act,
      permission: about,
      outcome: refusal?.code ?? "OK",
      ...(refusal !== undefined && { detail: refusal.detail.slice(0, limits.auditTextMax) }),
      ...(caller !== undefined && { kind: caller.kind, subject: caller.subject }),
      ...(caller?.owner !== undefined && { owner: caller.owner }),
      ...(caller?.tenant !== undefined && { tenant: caller.tenant }),
      address: remoteAddress,
      ...(target !== undefined && { target }),
    };
    if (refusal === undefined) this.#push(entry);
    else this.#deny(entry);
  }

  graceAdmitted(call: Call, entitlement: string, reason: string): void {
    const key = [call.tenant, entitlement, reason].join("\0");
    const found = this.#grace.get(key);
    if (found === undefined && this.#grace.size >= limits.auditBatchMax) this.#lost++;
    else if (found === undefined) {
      const first = entryOf(call, undefined, { atMs: Date.now() });
      this.#grace.set(key, { ...first, type: "grace", entitlement, reason, count: 1 });
    } else this.#grace.set(key, { ...found, count: found.count! + 1 });
    this.#graceTimer ??= setTimeout(() => this.#tellGrace(), limits.auditGraceMs);
  }

  /** Sends what waits: nothing is recorded after it. */
  close(): void {
    clearTimeout(this.#graceTimer);
    this.#tellGrace();
    clearTimeout(this.#timer);
    this.#flush();
  }

  #tellGrace(): void {
    this.#graceTimer = undefined;
    for (const entry of this.#grace.values()) this.#push(entry);
    this.#grace.clear();
  }

  #deny(entry: AuditEntry): void {
    const { method, outcome, plane, protocol, subject, tenant, address } = entry;
    const key = [method, outcome, plane, protocol, subject, tenant, address].join("\0");
    const found = this.#denials.get(key);
    if (found === undefined) {
      const place = this.#push(entry);
      if (place !== undefined) this.#denials.set(key, { entry, place });
      return;
    }
    found.entry = { ...found.entry, count: (found.entry.count ?? 1) + 1 };
    this.#entries[found.place] = found.entry;
  }

  /** Its place in the batch, or `undefined` where there is none left. */
  #push(entry: AuditEntry): number | undefined {
    this.#timer ??= setTimeout(() => this.#flush(), this.#batchMs);
    if (this.#entries.length < limits.auditBatchMax) return this.#entries.push(entry) - 1;
    this.#lost++;
    return undefined;
  }

  #flush(): void {
    this.#timer = undefined;
    if (this.#entries.length === 0 && this.#lost === 0) return;
    const batch = { entries: this.#entries, lost: this.#lost };
    this.#entries = [];
    this.#denials = new Map();
    this.#lost = 0;
    this.#send(batch);
  }
}

type Visitor = Pick<Call, "requestId" | "remoteAddress">;

const denials: ReadonlySet<ErrorCode> = new Set([
  "UNAUTHENTICATED",
  "PERMISSION_DENIED",
  "TENANT_MISMATCH",
  "ENTITLEMENT_DENIED",
]);

/** A caller that is not known yet is limited only because its credentials were bad too often. */
function isDenial({ code }: Refusal, call: Call): boolean {
  return denials.has(code) || (code === "RATE_LIMITED" && call.principal === undefined);
}

function entryOf(call: Call, message: unknown, { atMs, refusal, response }: Ending): AuditEntry {
  const { method, principal } = call;
  const { resource, action } = method.governance;
  const target = targetOf(method, message, response);
  const environment = call.headers.get("x-environment");
  const reason = textIn(message, "reason");
  return {
    time: new Date(atMs).toISOString(),
    type: "call",
    request_id: call.requestId,
    plane: call.plane,
    protocol: call.protocol,
    method: method.name,
    permission: `${resource}:${action}`,
    outcome: refusal?.code ?? "OK",
    ...(refusal !== undefined && { detail: refusal.detail.slice(0, limits.auditTextMax) }),
    ...(principal !== undefined && { kind: principal.kind, subject: principal.subject }),
    ...(principal?.owner !== undefined && { owner: principal.owner }),
    ...tenantOf(call),
    ...(environment !== undefined && { environment: environment.slice(0, limits.auditTextMax) }),
    address: call.remoteAddress,
    ...(target !== undefined && { target }),
    ...(reason !== undefined && { reason }),
    ...(call.replayed && { replayed: true }),
  };
}

/** A caller that was denied before its tenant was fixed is of its own one. */
function tenantOf({ tenant, principal }: Call): { tenant?: string } {
  const known = tenant ?? principal?.tenant;
  return known === undefined ? {} : { tenant: known };
}
