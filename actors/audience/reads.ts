import type { Context, Need, RangeRef, RowRef, StoredRow } from "#runtime";
import type { Manifest } from "../notify/manifest.ts";
import type { Card } from "./card.ts";
import { type Activity, type DeadLetter, type Delivery, emptyActivity } from "./delivery.ts";
import { type DeliveryRow, fromRow } from "./delivery-row.ts";

/** Rows that a command reads. What is missing is asked for in one go: `need` says what. */
export class Reads {
  readonly #context: Context;
  readonly #missing: (RowRef | RangeRef)[] = [];

  constructor(context: Context) {
    this.#context = context;
  }

  /** Absent where every row that was asked for is here. */
  get need(): Need | undefined {
    return this.#missing.length > 0 ? { need: this.#missing } : undefined;
  }

  row<Value>(collection: string, ...key: (string | number)[]): Value | null {
    const ref = { collection, key };
    const value = this.#context.row(ref) as Value | null | undefined;
    if (value === undefined) this.#missing.push(ref);
    return value ?? null;
  }

  range(ref: RangeRef): readonly StoredRow[] {
    const found = this.#context.range(ref);
    if (found === undefined) this.#missing.push(ref);
    return found ?? [];
  }

  card(id: string): Card | null {
    return this.row("cards.entries", id);
  }

  delivery(id: string): Delivery | null {
    const row = this.row<DeliveryRow>("deliveries", id);
    return row && fromRow(row);
  }

  manifest(transactionId: string): Manifest | null {
    return this.row("manifests", transactionId);
  }

  deadLetter(id: string): DeadLetter | null {
    return this.row("dead.entries", id);
  }

  activity(subscriberId: string): Activity {
    return this.row<Activity>("activity", subscriberId) ?? emptyActivity;
  }
}
