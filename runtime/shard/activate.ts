import { decodeTuple } from "#base";
import type { Cell, Entity } from "./cell.ts";
import { unpackValue } from "./codec.ts";
import { failureOf } from "./load.ts";
import type { Reader } from "./reader.ts";
import { timerCollection } from "./recorder.ts";

/** Rows read at once while an entity is brought back. */
const pageRows = 1_000;
/** Timers that an activation knows from the start: all that most entities have. */
const timersRead = 64;

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
    if (definition.onTimer !== undefined) {
      waiting++;
      readTimers(reader, entity, arrived);
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

/** When its timers are due. What replaces or clears a timer that is not known leaves a row that wakes the entity for nothing. */
function readTimers(reader: Reader, entity: Entity, done: (failure: unknown) => void): void {
  const partition = entity.partition(timerCollection);
  reader.scan(partition, { limit: timersRead }, (failure, rows) =>
    done(
      failure ??
        failureOf(() => {
          for (const { key, value } of rows)
            entity.timers.set(String(decodeTuple(key)[0]), unpackValue(value, partition) as number);
        }),
    ),
  );
}
