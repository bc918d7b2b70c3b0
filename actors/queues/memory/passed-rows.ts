import { limits } from "#base";
import type { RowWriter } from "#runtime";
import type { Item } from "../rows/item.ts";

type Line = Pick<Item, "list" | "band">;
type PlaceInLine = Pick<Item, "list" | "band" | "tag" | "order">;

/** Up to where the rows at the head of a line were passed, and how many of them. */
interface Head {
  readonly tag: number;
  readonly order: number;
  readonly count: number;
}

/** As an event has it. */
export type PassedRow = readonly [list: string, band: number, tag: number, order: number, count: number];

/**
 * Claims take items from the head of a line. Where others wait behind them, their rows are not deleted one by one: a row of
 * `passed` says up to where the rows of that line no longer count, and one range delete removes them later. No item in line
 * has a row up to that place (ADR 0087).
 */
export class PassedRows {
  /** By list and band. */
  readonly #heads = new Map<string, (Head | undefined)[]>();
  /** Lines whose head moved in the open commit. */
  readonly #moved: Line[] = [];

  head({ list, band }: Line): Head | undefined {
    return this.#heads.get(list)?.[band];
  }

  /** Its row no longer counts. */
  has(place: PlaceInLine): boolean {
    const head = this.head(place);
    return (
      head !== undefined && (place.tag < head.tag || (place.tag === head.tag && place.order <= head.order))
    );
  }

  pass([list, band, tag, order, more]: PassedRow): void {
    const line = { list, band };
    this.#set(line, { tag, order, count: more + (this.head(line)?.count ?? 0) });
  }

  /** So many rows of this line were passed that it is time to delete them. */
  isFull(line: Line): boolean {
    return (this.head(line)?.count ?? 0) >= limits.queuePassedMax;
  }

  /** Deletes the rows that were passed. */
  clear(line: Line, rows: RowWriter): void {
    const head = this.head(line);
    if (head === undefined) return;
    const { list, band } = line;
    rows.deleteRange("ready", [list, band], [list, band, head.tag, head.order + 1]);
    this.#set(line, undefined);
  }

  #set(line: Line, head: Head | undefined): void {
    const { list, band } = line;
    const heads = this.#headsOf(list);
    heads[band] = head;
    if (head === undefined && heads.every((other) => other === undefined)) this.#heads.delete(list);
    if (!this.#moved.some((other) => other.list === list && other.band === band)) this.#moved.push(line);
  }

  /** At the end of a commit. */
  write(rows: RowWriter): void {
    for (const line of this.#moved) {
      const { list, band } = line;
      const head = this.head(line);
      if (head) rows.put("passed", [list, band], [head.tag, head.order, head.count]);
      else rows.delete("passed", [list, band]);
    }
    this.#moved.length = 0;
  }

  restore([list, band]: readonly unknown[], value: unknown): void {
    const [tag, order, count] = value as readonly [number, number, number];
    this.#headsOf(list as string)[band as number] = { tag, order, count };
  }

  #headsOf(list: string): (Head | undefined)[] {
    let heads = this.#heads.get(list);
    if (heads === undefined) {
      heads = [];
      this.#heads.set(list, heads);
    }
    return heads;
  }
}
