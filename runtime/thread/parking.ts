import type { Refusal } from "#base";
import type { Work } from "../shard/cell.ts";
import { type Counted, Waiting } from "../shard/waiting.ts";
import type { RuntimeLimits } from "./limits.ts";
import type { Mailboxes } from "./mailboxes.ts";

/**
 * Bounds the commands that wait inside entities for something to happen: per entity, per tenant and per thread, by count
 * and by bytes. A command counts from its first wait until it is answered, also while it is woken and has not run.
 */
export class Parking {
  readonly #waiting = new Waiting();
  readonly #limits: RuntimeLimits;
  readonly #mailboxes: Mailboxes;

  constructor(limits: RuntimeLimits, mailboxes: Mailboxes) {
    this.#limits = limits;
    this.#mailboxes = mailboxes;
  }

  get count(): number {
    return this.#waiting.parked.count + this.#waiting.watching.count;
  }

  get bytes(): number {
    return this.#waiting.parked.bytes + this.#waiting.watching.bytes;
  }

  /** Counts the work in, or says why not. */
  enter(work: Work, as: keyof Waiting = "parked"): Refusal | undefined {
    if (work.waits) return undefined;
    const limits = this.#limits;
    const { bytes } = work;
    const [ofEntity, ofTenant, ofThread] = this.#counted(work, as);
    const entityMax = as === "watching" ? limits.watchingMax : limits.parkedMax;
    if (ofEntity.count >= entityMax || ofEntity.bytes + bytes > limits.parkedBytesMax)
      return this.#mailboxes.full("this entity");
    if (ofTenant.count >= limits.tenantParkedMax || ofTenant.bytes + bytes > limits.tenantParkedBytesMax)
      return this.#mailboxes.full("this tenant");
    if (ofThread.count >= limits.threadParkedMax || ofThread.bytes + bytes > limits.threadParkedBytesMax)
      return this.#mailboxes.full("this server");
    work.waits = as;
    for (const counted of [ofEntity, ofTenant, ofThread]) {
      counted.count++;
      counted.bytes += bytes;
    }
    return undefined;
  }

  left(work: Work): void {
    if (!work.waits) return;
    for (const counted of this.#counted(work, work.waits)) {
      counted.count--;
      counted.bytes -= work.bytes;
    }
    work.waits = undefined;
  }

  #counted({ entity }: Work, as: keyof Waiting): readonly [Counted, Counted, Counted] {
    return [entity.waiting[as], entity.cell.share.waiting[as], this.#waiting[as]];
  }
}
