import { isCorruption, unreadRefusal } from "../refusals.ts";
import { notNow } from "./answer.ts";
import type { Work } from "./cell.ts";
import { unpackValue } from "./codec.ts";
import { failureOf } from "./load.ts";
import type { Next } from "./next.ts";
import type { ShardParts } from "./parts.ts";
import { isStorageFailure, type Reader, type WantedRow } from "./reader.ts";

/** Rows that have to be known first; `use` is given their values, or nothing where there is none. */
export function rowsFirst(
  reader: Reader,
  rows: readonly WantedRow[],
  use: (...values: unknown[]) => void,
): Next {
  const unpacked = (bytes: Uint8Array | null, i: number) =>
    bytes ? unpackValue(bytes, rows[i]!.partition) : undefined;
  return {
    next: "read",
    read: (done) =>
      reader.getMany(rows, (failure, found) => done(failure ?? failureOf(() => use(...found.map(unpacked))))),
  };
}

/** Waits for rows; a read that fails is told to the caller, the entity stays. Rows it cannot understand are its own failure. */
export function read(
  shard: ShardParts,
  work: Work,
  begin: (done: (failure: unknown) => void) => void,
  resume: () => void,
): void {
  const { cell } = work.entity;
  let returned = false;
  cell.blocked = true;
  cell.loading = work;
  begin((failure) => {
    // Given back meanwhile: its caller has an answer already.
    if (cell.loading !== work) return;
    cell.loading = undefined;
    cell.blocked = false;
    if (isStorageFailure(failure)) {
      if (!isCorruption(failure))
        shard.thread.logger?.error({ address: work.entity.address, err: failure }, "rows could not be read");
      notNow(shard, work, unreadRefusal(failure));
    } else {
      work.failure = failure;
      // Before everything else: a command that ran in between could change what was loaded, or overtake a message.
      cell.system.unshift(work);
    }
    if (returned) resume();
  });
  returned = true;
}
