import { takeFrom } from "#base";
import { SortedWindow } from "./sorted-window.ts";

interface LeaseEnd {
  readonly at: number;
  readonly id: string;
  /** Among those that end at the same time: first come first, so that a new one mostly goes to the end. */
  readonly order: number;
}

/** When leases end, the earliest first. */
export class LeaseEnds {
  readonly #ends = new SortedWindow<LeaseEnd>(byTime, Number.MAX_SAFE_INTEGER, true);
  readonly #byItem = new Map<string, LeaseEnd>();
  #order = 0;

  at(index: number): { readonly at: number; readonly id: string } | undefined {
    return this.#ends.at(index);
  }

  add(id: string, at: number): void {
    const end = { at, id, order: this.#order++ };
    this.#byItem.set(id, end);
    this.#ends.insert(end);
  }

  remove(id: string): void {
    this.#ends.remove(takeFrom(this.#byItem, id)!);
  }
}

function byTime(a: LeaseEnd, b: LeaseEnd): number {
  return a.at - b.at || a.order - b.order;
}
