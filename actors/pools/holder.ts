import type { Refusal } from "#base";

/** `QueueService.GetHolders`: what the queue tells the router's outcomes of each item: who has it, or had it last; nothing where the item was never leased. */
export interface Holder {
  readonly recipient_id?: string;
  /** What the item was routed by. */
  readonly item_key?: string;
  /** There is no such item any more. */
  readonly gone?: Refusal;
}
