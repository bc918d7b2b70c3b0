import type { Origin } from "#runtime";
import type { ItemState } from "./item.ts";

/** Who hears how an item ends: the entities that modules named when they enqueued it. */
export interface OriginSet {
  readonly type: "origin_set";
  readonly id: string;
  readonly origin: Origin;
  /** The item that answered the request was over already. */
  readonly over?: ItemState;
}
