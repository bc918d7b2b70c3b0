import { decodeTuple } from "#base";
import type { Cell } from "./cell.ts";
import { unpackValue } from "./codec.ts";
import type { Reader } from "./reader.ts";

/** Rows read at once while an entity is brought back. */
const pageRows = 1_000;

/**
 * Brings a cell into memory: every member's resident collections, read through the buffer, speculative changes
 * included. `done` is called with what went wrong, if anything did.
 */
export function activate(reader: Reader, cell: Cell, done: (failure: unknown) => void): void {
  cell.status = "loading";
  cell.loadedBytes = 0;
  let waiting = 1;
  let failed: unknown;
  const arrived = (failure: unknown) => {
    failed ??= failure;
    if (--waiting === 0) done(failed);
  };
  for (const entity of cell.entities) {
    const { definition } = entity;
    entity.forget();
    try {
      entity.state = definition.empty(entity.address);
    } catch (error) {
      failed ??= error;
      continue;
    }
    for (const collection of definition.resident) {
      waiting++;
      const partition = entity.partition(collection);
      reader.scanAll(
        partition,
        pageRows,
        (row) => {
          if (failed !== undefined) return;
          cell.loadedBytes += row.value.length;
          try {
            const value = unpackValue(row.value, partition);
            definition.restore(entity.state, { collection, key: decodeTuple(row.key), value });
          } catch (error) {
            failed = error;
          }
        },
        arrived,
      );
    }
  }
  arrived(undefined);
}
