import type { Caller, Origin } from "../actor.ts";
import type { Ask, Cancellation, IdempotencyRef } from "../ask.ts";

/** An ask on its way to another thread: values in a fixed order, because names cost more to pack than what they name. */
export type PackedAsk = readonly unknown[];

export function packAsk(ask: Ask, bytes: number): PackedAsk {
  const { to, caller, idempotency } = ask;
  const packed: unknown[] = [
    to.kind,
    to.tenant,
    to.key,
    ask.method,
    ask.request,
    ask.deadlineMs,
    caller.tenant,
    caller.principalKind,
    caller.subject,
    caller.owner,
    caller.requestId,
    caller.environment ?? null,
    caller.environmentMode,
    caller.platform,
    bytes,
  ];
  if (idempotency !== undefined) packed.push(idempotency.scope, idempotency.fingerprint);
  if (idempotency?.omit !== undefined) packed.push(idempotency.omit);
  const { origin, trace } = caller;
  if (origin !== undefined) {
    while (packed.length < originAt) packed.push(null);
    packed.push(origin.kind, origin.key, origin.ref);
  }
  if (trace !== undefined) {
    while (packed.length < traceAt) packed.push(null);
    packed.push(trace);
  }
  return packed;
}

/** After what most asks have. */
const originAt = 18;
const traceAt = originAt + 3;

export function unpackAsk(packed: PackedAsk, signal: Cancellation): Ask {
  const caller = {
    tenant: packed[6] as string,
    principalKind: packed[7] as Caller["principalKind"],
    subject: packed[8] as string,
    owner: packed[9] as string,
    requestId: packed[10] as string,
    environmentMode: packed[12] as Caller["environmentMode"],
    platform: packed[13] as boolean,
  };
  const environment = packed[11] as string | null;
  const scope = (packed[15] ?? undefined) as string | undefined;
  const named = environment === null ? caller : { ...caller, environment };
  const made = (packed[originAt] ?? null) === null ? named : { ...named, origin: originOf(packed) };
  return {
    to: { kind: packed[0] as string, tenant: packed[1] as string, key: packed[2] as string },
    method: packed[3] as string,
    request: packed[4],
    deadlineMs: packed[5] as number,
    caller: packed.length > traceAt ? { ...made, trace: packed[traceAt] as string } : made,
    bytes: packed[14] as number,
    idempotency: scope === undefined ? undefined : idempotencyOf(scope, packed),
    signal,
  };
}

function idempotencyOf(scope: string, packed: PackedAsk): IdempotencyRef {
  const fingerprint = packed[16] as string;
  const omit = (packed[17] ?? undefined) as readonly string[] | undefined;
  return omit === undefined ? { scope, fingerprint } : { scope, fingerprint, omit };
}

function originOf(packed: PackedAsk): Origin {
  return {
    kind: packed[originAt] as string,
    key: packed[originAt + 1] as string,
    ref: packed[originAt + 2] as string,
  };
}

/** Says that a caller in another thread went away; an AbortSignal costs as much as the ask itself. */
export class RemoteCancellation implements Cancellation {
  aborted = false;
  #listener: (() => void) | undefined = undefined;

  addEventListener(_type: "abort", listener: () => void): void {
    this.#listener = listener;
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    if (this.#listener === listener) this.#listener = undefined;
  }

  cancel(): void {
    this.aborted = true;
    this.#listener?.();
  }
}
