import { type Refusal, refuse } from "#base";
import type { Entity, Work } from "../shard/cell.ts";
import type { RuntimeLimits } from "./limits.ts";

/** Bounds what waits: per entity, per tenant and per thread, by count and by bytes. Over a bound the caller is told at once. */
export class Mailboxes {
  depth = 0;
  bytes = 0;
  refused = 0;
  readonly #limits: RuntimeLimits;

  constructor(limits: RuntimeLimits) {
    this.#limits = limits;
  }

  /** Counts the work in, or says why not. */
  enter(entity: Entity, bytes: number): Refusal | undefined {
    const limits = this.#limits;
    const { share, shard } = entity.cell;
    if (entity.depth >= limits.mailboxDepthMax || entity.bytes + bytes > limits.mailboxBytesMax)
      return this.full("this entity");
    if (share.depth >= limits.tenantMailboxDepthMax || share.bytes + bytes > limits.tenantMailboxBytesMax)
      return this.full("this tenant");
    if (this.depth >= limits.threadMailboxDepthMax || this.bytes + bytes > limits.threadMailboxBytesMax)
      return this.full("this server");
    entity.depth++;
    entity.bytes += bytes;
    share.depth++;
    share.bytes += bytes;
    shard.mailboxDepth++;
    shard.mailboxBytes += bytes;
    this.depth++;
    this.bytes += bytes;
    return undefined;
  }

  left(work: Work): void {
    const { entity, bytes } = work;
    entity.depth--;
    entity.bytes -= bytes;
    this.depth--;
    this.bytes -= bytes;
    const { share, shard } = entity.cell;
    share.depth--;
    share.bytes -= bytes;
    shard.mailboxDepth--;
    shard.mailboxBytes -= bytes;
  }

  full(whose: string): Refusal {
    this.refused++;
    return refuse("RATE_LIMITED", `too many requests wait for ${whose}`, {
      reason: "MAILBOX_FULL",
      retryAfterMs: this.#limits.retryAfterMs,
    });
  }
}
