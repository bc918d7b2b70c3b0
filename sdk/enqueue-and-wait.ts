import { systemClock } from "./clock.ts";
import { SwitchyardError } from "./errors.ts";
import type { EnqueueRequest, ItemsModule, QueueItem } from "./generated.ts";
import { persistently } from "./retry.ts";
import type { CallOptions } from "./transport.ts";

export interface WaitOptions extends Omit<CallOptions, "timeoutMs"> {
  /** Until the item is finished. Default 60,000. The item lives on after that. */
  readonly timeoutMs?: number;
}

/** The item ended, and not as completed. */
export class ItemFailed extends SwitchyardError {
  override readonly name = "ItemFailed";
  readonly item: QueueItem;

  constructor(item: QueueItem) {
    const why = item.last_error === undefined ? "" : `: ${item.last_error.message}`;
    super({
      code: "STATE_CONFLICT",
      reason: item.state.toUpperCase(),
      detail: `item ${item.id} is ${item.state}${why}`,
      status: 409,
    });
    this.item = item;
  }
}

/** Enqueues with a key, then waits, in as many calls as it takes. */
export async function enqueueAndWait(
  items: Pick<ItemsModule, "enqueue" | "await">,
  request: EnqueueRequest,
  { timeoutMs = 60_000, ...options }: WaitOptions,
): Promise<QueueItem> {
  const deadlineMs = systemClock.now() + timeoutMs;
  const { item } = await items.enqueue(request, { ...options, timeoutMs });
  if (item === undefined) throw new TypeError("the answer has no item");
  // A rule may have sent it to another pool.
  const { id: queue_item_id, pool_id } = item;
  while (systemClock.now() < deadlineMs) {
    const leftMs = Math.ceil(deadlineMs - systemClock.now());
    const asked = {
      pool_id,
      queue_item_id,
      wait_ms: Math.min(leftMs, waitMsMax),
      until: "finished",
    } as const;
    const call = { ...options, timeoutMs: Math.min(leftMs, waitMsMax) + answerMs };
    const { item: now, reached } = await persistently(
      () => items.await(asked, call),
      options.signal,
      deadlineMs,
    );
    if (now !== undefined && reached) {
      if (now.state === "completed") return now;
      throw new ItemFailed(now);
    }
  }
  throw new SwitchyardError({
    code: "TIMEOUT",
    detail: `item ${queue_item_id} was not finished within ${timeoutMs} ms; it goes on`,
    retryable: true,
  });
}

/** Of one call. */
const waitMsMax = 30_000;
/** What the answer may take on its way. */
const answerMs = 5_000;
