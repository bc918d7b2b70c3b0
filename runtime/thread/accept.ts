import { type Refusal, refuse } from "#base";
import type { Answer, Ask } from "../ask.ts";
import type { Kind } from "../placement.ts";
import { isolatedRefusal, lostRefusal } from "../refusals.ts";
import { type AskOrigin, type Cell, type MessageOrigin, Work } from "../shard/cell.ts";
import type { Delivery } from "../shard/outbox.ts";
import { sizeOfPlain } from "../shard/plain.ts";
import type { Shard } from "../shard/shard.ts";
import type { ThreadParts } from "../shard/thread-parts.ts";

/** Where an ask goes: the kind it is for and the hash that placement computed. */
export interface Place {
  readonly shard: Shard;
  readonly kind: Kind;
  readonly hash: number;
}

/** Puts an ask into its entity's mailbox, or refuses it at once. */
export function acceptAsk({ shard, kind, hash }: Place, ask: Ask, reply: (answer: Answer) => void): void {
  const { thread } = shard;
  if (shard.leaving) {
    reply(lostRefusal());
    return;
  }
  const method = kind.methods.get(ask.method);
  if (method === undefined) {
    reply(refuse("UNIMPLEMENTED", `there is no method ${ask.method}`));
    return;
  }
  const cell = shard.cell(kind, ask.to, hash);
  if (cell.isolatedUntilMs > 0 && isIsolated(shard.thread, cell)) {
    reply(isolatedRefusal(cell.entities[0]!.address, cell.failures.length));
    return;
  }
  const entity = cell.entity(ask.to.kind)!;
  const bytes = ask.bytes ?? sizeOfPlain(ask.request);
  const refusal = thread.mailboxes.enter(entity, bytes);
  if (refusal !== undefined) {
    shard.forgetIdle(cell);
    reply(refusal);
    return;
  }
  const origin: AskOrigin = {
    type: "ask",
    method,
    request: ask.request,
    caller: ask.caller,
    idempotency: ask.idempotency,
    deadlineMs: ask.deadlineMs,
    signal: ask.signal,
    reply,
  };
  cell.asks.push(new Work(entity, origin, bytes));
  if (!cell.blocked) thread.schedule(cell);
}

/** Takes the messages of another shard's outbox, in order; they are answered together. */
export function acceptDelivery(
  { shard, kind, hash }: Place,
  delivery: Delivery,
  reply: (refusal: Refusal | undefined) => void,
): void {
  if (shard.leaving) {
    reply(lostRefusal());
    return;
  }
  const cell = shard.cell(kind, delivery.to, hash);
  if (cell.isolatedUntilMs > 0 && isIsolated(shard.thread, cell)) {
    reply(isolatedRefusal(cell.entities[0]!.address, cell.failures.length));
    return;
  }
  const entity = cell.entity(delivery.to.kind)!;
  const { source } = delivery;
  if (entity.delivering.has(source)) {
    reply(stillWaiting());
    return;
  }
  entity.delivering.set(source, true);
  const state = { remaining: delivery.messages.length, refusal: undefined as Refusal | undefined };
  const settled = (refusal: Refusal | undefined) => {
    state.refusal ??= refusal;
    if (--state.remaining > 0) return;
    entity.delivering.delete(source);
    reply(state.refusal);
  };
  for (const { number, from, message } of delivery.messages) {
    const origin: MessageOrigin = {
      type: "message",
      from,
      source,
      number,
      message,
      delivery: state,
      reply: settled,
    };
    cell.system.push(new Work(entity, origin, 0));
  }
  if (!cell.blocked) shard.thread.schedule(cell);
}

/** A sender that gave up waiting sends again what has not run yet: once is enough to hold. */
function stillWaiting(): Refusal {
  return refuse("UNAVAILABLE", "messages of this sender wait already", { retryAfterMs: 1_000 });
}

/** After its rest an isolated entity is tried again. */
export function isIsolated(thread: Pick<ThreadParts, "world" | "failing">, cell: Cell): boolean {
  if (thread.world.clock.monotonic() < cell.isolatedUntilMs) return true;
  cell.isolatedUntilMs = 0;
  cell.failures = [];
  thread.failing.delete(cell);
  return false;
}
