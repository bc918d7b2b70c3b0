import { textOf } from "../engine.cases.ts";
import { bordersOf } from "./arrangement.ts";
import { Lanes } from "./lanes.ts";
import { readArrangement } from "./layouts.ts";
import { rowsOf } from "./move.ts";
import type { Session } from "./session.ts";
import { tableStatements } from "./statements.ts";

/** The bytes in each partition of the collection, including rows that were moved away and are not deleted yet. */
export async function partitionSizes(session: Session, shard: number): Promise<number[]> {
  const sizes: number[] = [];
  for await (const row of session.readAll(tableStatements.parts, [])) {
    if (row.shard !== shard || textOf(row.part) !== "p") continue;
    let bytes = 0;
    for await (const { key, value } of session.readAll(tableStatements.all, [shard, row.part, row.bucket]))
      bytes += key.length + value.length;
    sizes.push(bytes);
  }
  return sizes;
}

/** The bytes of each piece of the collection, in order, as stored now. */
export async function sizes(session: Session, shard: number): Promise<number[]> {
  const borders = bordersOf(await readArrangement(session, shard), "p");
  const found: number[] = [];
  for (const [i, { from, bucket }] of borders.entries()) {
    let bytes = 0;
    const piece = { bucket, from, to: borders[i + 1]?.from };
    for await (const { key, value } of rowsOf(
      { session, lanes: new Lanes(() => 1), closed: false },
      shard,
      "p",
      piece,
    ))
      bytes += key.length + value.length;
    found.push(bytes);
  }
  return found;
}
