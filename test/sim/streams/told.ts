import { devTenantId } from "#base";
import { streamAddress } from "../../../actors/workflow-streams/stream/record.ts";
import type { Address } from "../../../runtime/index.ts";
import type { Scheduler } from "../scheduler.ts";

export type Message = Record<string, unknown>;

export interface RecordTold {
  readonly sequence: number;
  readonly payload: unknown;
}

/** An answer of a cut-off owner may be this old. */
export const staleMs = 2_000;

/** The answers that clients got about one stream. An answer that contradicts another one is a bug. */
export class KnownStream {
  id = "";
  #seenMs = Number.POSITIVE_INFINITY;
  readonly runId: string;
  readonly name: string;
  readonly definition: Message;
  /** By sequence. */
  readonly records = new Map<number, string>();
  /** Payloads of requested records, each for one record. */
  readonly wanted = new Set<string>();
  /** Records whose append was acknowledged. */
  acknowledged = 0;
  readonly #acked = new Map<string, [ms: number, sequence: number][]>();
  /** Since when it is known to be closed. */
  closedMs = Number.POSITIVE_INFINITY;
  readonly #floors: (readonly [ms: number, earliest: number])[] = [[0, 1]];
  readonly #ends: (readonly [ms: number, latest: number])[] = [[0, 0]];
  readonly #scheduler: Scheduler;
  readonly #violate: (claim: string) => void;

  constructor(
    scheduler: Scheduler,
    given: Pick<KnownStream, "runId" | "name" | "definition">,
    violate: (claim: string) => void,
  ) {
    this.#scheduler = scheduler;
    this.runId = given.runId;
    this.name = given.name;
    this.definition = given.definition;
    this.#violate = violate;
  }

  /** Its run has confirmed it; the message that creates it may be under way, and a cut-off owner may not know it. */
  get isNew(): boolean {
    return this.#scheduler.nowMs - this.#seenMs <= staleMs;
  }

  made(id: string): void {
    if (this.id !== "" && this.id !== id) this.violate(`it was made as ${this.id} and as ${id}`);
    this.id = id;
  }

  get address(): Address {
    return streamAddress(devTenantId, this.id);
  }

  get latest(): number {
    return this.#ends.at(-1)![1];
  }

  get earliest(): number {
    return this.#floors.at(-1)![1];
  }

  /** The earliest record with which an answer to a question of now may begin. */
  get earliestMin(): number {
    return before(this.#floors, this.#scheduler.nowMs - staleMs);
  }

  get latestMin(): number {
    return before(this.#ends, this.#scheduler.nowMs - staleMs);
  }

  /** The last acknowledgement that a consumer was told. */
  acked(consumer: string): number {
    return this.#acked.get(consumer)?.at(-1)?.[1] ?? 0;
  }

  /** An acknowledgement below this is refused by every owner. */
  ackedMin(consumer: string): number {
    return before(this.#acked.get(consumer) ?? [[0, 0]], this.#scheduler.nowMs - staleMs);
  }

  acknowledge(consumer: string, sequence: number): void {
    if (sequence <= this.acked(consumer)) return;
    const told = this.#acked.get(consumer) ?? [[0, 0]];
    this.#acked.set(consumer, [...told, [this.#scheduler.nowMs, sequence]]);
  }

  tell({ sequence, payload }: RecordTold): void {
    this.#seenMs = Math.min(this.#seenMs, this.#scheduler.nowMs);
    const text = JSON.stringify(payload);
    const known = this.records.get(sequence);
    if (known !== undefined && known !== text)
      this.violate(`record ${sequence} was told as ${known} and as ${text}`);
    this.records.set(sequence, text);
    if (sequence > this.latest) this.#ends.push([this.#scheduler.nowMs, sequence]);
  }

  floor(earliest: number): void {
    if (earliest > this.earliest) this.#floors.push([this.#scheduler.nowMs, earliest]);
  }

  violate(claim: string): void {
    this.#violate(`${this.name}: ${claim}`);
  }
}

function before(told: readonly (readonly [ms: number, value: number])[], ms: number): number {
  let value = told[0]![1];
  for (const [atMs, one] of told) if (atMs <= ms) value = one;
  return value;
}
