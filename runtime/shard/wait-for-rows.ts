import { isCorruption, unreadRefusal } from "../refusals.ts";
import type { Work } from "./cell.ts";
import { notNow, type ReturningShard } from "./not-now.ts";
import { isStorageFailure } from "./reader.ts";
import type { ThreadParts } from "./thread-parts.ts";

/** What waiting for rows needs of a shard. */
export interface LoadingShard extends ReturningShard {
  readonly thread: ReturningShard["thread"] & Pick<ThreadParts, "logger">;
}

/** Waits for rows; a read that fails is told to the caller, the entity stays. Rows it cannot understand are its own failure. */
export function waitForRows(
  shard: LoadingShard,
  work: Work,
  read: (done: (failure: unknown) => void) => void,
  resume: () => void,
): void {
  const { cell } = work.entity;
  shard.turn.close();
  let returned = false;
  cell.blocked = true;
  cell.loading = work;
  read((failure) => {
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
