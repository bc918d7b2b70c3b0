import type { Caller } from "../actor.ts";
import type { Ask, Cancellation } from "../ask.ts";

/** An ask on its way to another thread: values in a fixed order, because names cost more to pack than what they name. */
export type PackedAsk = ReturnType<typeof packAsk>;

export function packAsk({ to, method, request, deadlineMs, caller, idempotency }: Ask, bytes: number) {
  return [
    to.kind,
    to.tenant,
    to.key,
    method,
    request,
    deadlineMs,
    bytes,
    caller.tenant,
    caller.principalKind,
    caller.subject,
    caller.owner,
    caller.requestId,
    caller.environmentMode,
    caller.platform,
    caller.environment,
    caller.origin,
    caller.trace,
    idempotency,
  ] as const;
}

export function unpackAsk(packed: PackedAsk, signal: Cancellation): Ask {
  const [kind, tenant, key, method, request, deadlineMs, bytes, ...rest] = packed;
  const [ofTenant, principalKind, subject, owner, requestId, environmentMode, platform, ...seldom] = rest;
  const [environment, origin, trace, idempotency] = seldom;
  const caller: Caller = {
    tenant: ofTenant,
    principalKind,
    subject,
    owner,
    requestId,
    environmentMode,
    platform,
    ...(environment !== undefined && { environment }),
    ...(origin !== undefined && { origin }),
    ...(trace !== undefined && { trace }),
  };
  return { to: { kind, tenant, key }, method, request, deadlineMs, bytes, caller, idempotency, signal };
}
