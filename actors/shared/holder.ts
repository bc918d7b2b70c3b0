import type { Refusal } from "#base";

/** `QueueService.GetHolders`: what the queue tells the router's outcomes of each item; nothing where nobody has it. */
export interface Holder {
  readonly recipient_id?: string;
  /** There is no such item any more. */
  readonly gone?: Refusal;
}
