import { limits } from "#base";
import type { Item } from "../rows/item.ts";
import type { KnownItems } from "../rows/known-items.ts";

/** A lease that its owner did not end. */
export interface LostLease {
  readonly id: string;
  readonly token: string;
  readonly recipientId: string;
  readonly reason: "expired" | "cancelled";
}

/**
 * The last leases that were taken away, so that a worker hears of it at once. Only in memory: a worker that misses one here is
 * told when it settles, since its token is worth nothing any more.
 */
export class LostLeases {
  readonly #lost: LostLease[] = [];
  /** Of the next one; counts from the activation. */
  next = 0;

  /** Call before the lease is dropped: who held it is known until then. */
  note(leases: KnownItems["leases"], item: Item): void {
    const by = item.ended?.by;
    if (by !== "expired" && by !== "cancelled") return;
    const lease = leases.get(item.id)?.lease;
    if (lease?.token !== item.ended!.token) return;
    this.#lost.push({ id: item.id, token: lease.token, recipientId: lease.recipient, reason: by });
    this.next++;
    if (this.#lost.length > limits.queueLostLeasesMax) this.#lost.shift();
  }

  /** Of one recipient, from a number on. A number of an earlier life means everything. */
  since(first: number, recipientId: string): LostLease[] {
    const from = first > this.next ? 0 : first;
    const skipped = Math.max(0, from - (this.next - this.#lost.length));
    return this.#lost.slice(skipped).filter((lease) => lease.recipientId === recipientId);
  }
}

/** A command that also waits for the leases that its recipient loses. */
export interface Listener {
  readonly recipientId: string;
  /** The first it has not heard of; moves on past what others lost. */
  first: number;
}

/** Something it has not heard of was lost by its own recipient. What others lost is looked at once. */
export function heardOf(state: { readonly lost: LostLeases }, listener: Listener): boolean {
  const { next } = state.lost;
  if (listener.first === next) return false;
  if (state.lost.since(listener.first, listener.recipientId).length > 0) return true;
  listener.first = next;
  return false;
}

export function lostMessage(state: { readonly lost: LostLeases }, { first, recipientId }: Listener): object {
  const lost = state.lost.since(first, recipientId);
  return {
    lost: lost.map(({ id, token, reason }) => ({ queue_item_id: id, lease_token: token, reason })),
    next: state.lost.next,
  };
}
