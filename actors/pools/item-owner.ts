import type { Refusal } from "#base";
import { method } from "../kit/ask.ts";

/** Who has an item, or had it last; no recipient where it was never leased. */
export interface ItemOwner {
  readonly recipient_id?: string;
  /** What the item was routed by. */
  readonly item_key?: string;
  /** There is no such item any more. */
  readonly gone?: Refusal;
}

/** The router's outcomes ask the queue who has each of these items. */
export const itemOwners = method<
  { readonly queue_item_ids: readonly string[] },
  { readonly owners: readonly ItemOwner[] }
>("queue", "ItemOwners");
