import type { Refusal } from "#base";
import type { Work } from "../shard/cell.ts";
import type { RuntimeLimits } from "./limits.ts";
import type { Mailboxes } from "./mailboxes.ts";

/**
 * Bounds the commands that wait inside entities for something to happen: per entity, per tenant and per thread, by count
 * and by bytes. A command counts from its first wait until it is answered, also while it is woken and has not run.
 */
export class Parking {
  count = 0;
  bytes = 0;
  readonly #limits: RuntimeLimits;
  readonly #mailboxes: Mailboxes;

  constructor(limits: RuntimeLimits, mailboxes: Mailboxes) {
    this.#limits = limits;
    this.#mailboxes = mailboxes;
  }

  /** Counts the work in, or says why not. */
  enter(work: Work): Refusal | undefined {
    if (work.waits) return undefined;
    const limits = this.#limits;
    const { entity, bytes } = work;
    const { waiting } = entity;
    const share = entity.cell.share.waiting;
    if (waiting.count >= limits.parkedMax || waiting.bytes + bytes > limits.parkedBytesMax)
      return this.#mailboxes.full("this entity");
    if (share.count >= limits.tenantParkedMax || share.bytes + bytes > limits.tenantParkedBytesMax)
      return this.#mailboxes.full("this tenant");
    if (this.count >= limits.threadParkedMax || this.bytes + bytes > limits.threadParkedBytesMax)
      return this.#mailboxes.full("this server");
    work.waits = true;
    for (const counted of [this, waiting, share]) {
      counted.count++;
      counted.bytes += bytes;
    }
    return undefined;
  }

  /** The work is answered. */
  left(work: Work): void {
    if (!work.waits) return;
    work.waits = false;
    for (const counted of [this, work.entity.waiting, work.entity.cell.share.waiting]) {
      counted.count--;
      counted.bytes -= work.bytes;
    }
  }
}
