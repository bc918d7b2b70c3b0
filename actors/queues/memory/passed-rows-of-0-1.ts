import type { RowWriter } from "#runtime";
import type { Item } from "../rows/item.ts";

type Line = Pick<Item, "list" | "band">;
type Head = Pick<Item, "tag" | "order">;

/**
 * Claims of release 0.1 left the rows of their items in the line, and a row of `passed` said up to where the rows of that
 * line no longer count (ADR 0087). This release writes no such row. It reads a line from behind the old one, and deletes
 * that and the rows it covers when an item enters or leaves the line.
 */
export class PassedRows {
  /** By list and band: the last row that no longer counts. */
  readonly #heads = new Map<string, Head>();

  head(line: Line): Head | undefined {
    return this.#heads.size > 0 ? this.#heads.get(nameOf(line)) : undefined;
  }

  clear(line: Line, rows: RowWriter): void {
    const head = this.head(line);
    if (head === undefined) return;
    const { list, band } = line;
    rows.deleteRange("ready", [list, band], [list, band, head.tag, head.order + 1]);
    rows.delete("passed", [list, band]);
    this.#heads.delete(nameOf(line));
  }

  restore([list, band]: readonly unknown[], value: unknown): void {
    const [tag, order] = value as readonly [number, number];
    this.#heads.set(nameOf({ list: list as string, band: band as number }), { tag, order });
  }
}

function nameOf({ list, band }: Line): string {
  return `${band}|${list}`;
}
