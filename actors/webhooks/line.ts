import { limits } from "#base";
import type { Delivery, Webhook } from "./record.ts";

/** In which order the open deliveries of an endpoint are sent: those of a lane one after the other, of which only the first may go. */
export class Line {
  readonly #ordering: Webhook["ordering"];
  readonly #open = new Map<string, Delivery>();
  readonly #lanes = new Map<string, string[]>();
  /** May go now; one that has changed since is passed over. */
  #ready: string[] = [];
  /** Wait for their time, the next one last. */
  readonly #waiting: { readonly atMs: number; readonly id: string }[] = [];
  sending = 0;
  held = 0;
  bytes = 0;

  constructor(ordering: Webhook["ordering"], open: Iterable<Delivery>) {
    this.#ordering = ordering;
    for (const delivery of open) this.put(delivery);
  }

  get size(): number {
    return this.#open.size;
  }

  get(id: string): Delivery | undefined {
    return this.#open.get(id);
  }

  values(): Iterable<Delivery> {
    return this.#open.values();
  }

  put(delivery: Delivery): void {
    const { id } = delivery;
    const before = this.#open.get(id);
    if (before === undefined) {
      const lane = this.#laneOf(delivery);
      const ids = this.#lanes.get(lane);
      if (ids === undefined) this.#lanes.set(lane, [id]);
      else ids.push(id);
    } else this.#count(before, -1);
    this.#open.set(id, delivery);
    this.#count(delivery, 1);
    if (this.#isFirst(delivery)) this.#place(delivery);
  }

  /** It has ended: the next one of its lane may go. */
  remove(id: string): void {
    const delivery = this.#open.get(id);
    if (delivery === undefined) return;
    this.#count(delivery, -1);
    this.#open.delete(id);
    const lane = this.#laneOf(delivery);
    const ids = this.#lanes.get(lane)!;
    ids.splice(ids.indexOf(id), 1);
    if (ids.length === 0) this.#lanes.delete(lane);
    else this.#place(this.#open.get(ids[0]!)!);
  }

  /** The next one that may go. */
  take(): Delivery | undefined {
    for (let id = this.#ready.shift(); id !== undefined; id = this.#ready.shift()) {
      const delivery = this.#open.get(id);
      if (delivery?.state === "pending" && this.#isFirst(delivery)) return delivery;
    }
    return undefined;
  }

  /** When the next one's wait is over. */
  get nextAt(): number | undefined {
    for (let last = this.#waiting.at(-1); last !== undefined; last = this.#waiting.at(-1)) {
      if (this.#waits(last.id, last.atMs)) return last.atMs;
      this.#waiting.pop();
    }
    return undefined;
  }

  /** Those whose wait is over, some at a time. */
  due(now: number): Delivery[] {
    const found: Delivery[] = [];
    for (let i = this.#waiting.length - 1; i >= 0 && found.length < limits.webhookStepMax; i--) {
      const { atMs, id } = this.#waiting[i]!;
      if (atMs > now) break;
      if (this.#waits(id, atMs)) found.push(this.#open.get(id)!);
    }
    return found;
  }

  #waits(id: string, atMs: number): boolean {
    const delivery = this.#open.get(id);
    return delivery?.state === "retry_wait" && delivery.nextAt === atMs;
  }

  #laneOf({ id, subject }: Delivery): string {
    return this.#ordering === "none" ? id : this.#ordering === "subject" ? subject : "";
  }

  #isFirst(delivery: Delivery): boolean {
    return this.#lanes.get(this.#laneOf(delivery))![0] === delivery.id;
  }

  #place({ id, state, nextAt }: Delivery): void {
    if (state === "pending") this.#ready.push(id);
    if (state !== "retry_wait") return;
    let at = this.#waiting.length;
    let low = 0;
    while (low < at) {
      const middle = (low + at) >> 1;
      if (this.#waiting[middle]!.atMs > nextAt) low = middle + 1;
      else at = middle;
    }
    this.#waiting.splice(low, 0, { atMs: nextAt, id });
  }

  #count({ state, bytes }: Delivery, sign: 1 | -1): void {
    if (state === "sending") this.sending += sign;
    if (state === "held") this.held += sign;
    this.bytes += sign * bytes;
  }
}
