import type { Cancellation, PostedAsk } from "../ask.ts";

/** An ask on its way to another thread: values in a fixed order, because names cost more to pack than what they name. */
export type PackedAsk = readonly unknown[];

export function packAsk(ask: PostedAsk): PackedAsk {
  const { to, caller, idempotency } = ask;
  const packed: unknown[] = [
    to.kind,
    to.tenant,
    to.key,
    ask.method,
    ask.request,
    ask.deadlineMs,
    caller.tenant,
    caller.subject,
    caller.requestId,
    caller.environment ?? null,
    caller.environmentMode,
    caller.platform,
    ask.bytes ?? null,
  ];
  if (idempotency !== undefined) packed.push(idempotency.scope, idempotency.fingerprint);
  return packed;
}

export function unpackAsk(packed: PackedAsk, signal: Cancellation): PostedAsk {
  const [kind, tenant, key, method, request, deadlineMs] = packed as [
    string,
    string,
    string,
    string,
    unknown,
    number,
  ];
  const environment = packed[9] as string | null;
  const bytes = packed[12] as number | null;
  const caller = {
    tenant: packed[6] as string,
    subject: packed[7] as string,
    requestId: packed[8] as string,
    ...(environment === null ? {} : { environment }),
    environmentMode: packed[10] as "any",
    platform: packed[11] as boolean,
  };
  return {
    to: { kind, tenant, key },
    method,
    request,
    deadlineMs,
    caller,
    signal,
    ...(bytes === null ? {} : { bytes }),
    ...(packed.length > 13
      ? { idempotency: { scope: packed[13] as string, fingerprint: packed[14] as string } }
      : {}),
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
