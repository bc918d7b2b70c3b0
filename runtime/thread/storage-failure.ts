import { type Refusal, refuse } from "#base";
import { StorageError } from "#storage";
import { cutOffRefusal, fullRefusal } from "../refusals.ts";
import type { Shard } from "../shard/shard.ts";
import { type OpeningThread, reopenShard } from "./open.ts";

/** How long writes are refused at once after the store said no; then one is tried. */
const refusedMs = 1_000;

/**
 * An append did not succeed. What was decided since is dropped with the ownership term: there is no undo. If the entries
 * surely were not stored, the same epoch goes on; otherwise a new epoch settles whether they were.
 */
export function failedAppend(thread: OpeningThread, shard: Shard, failure: unknown): void {
  const kind = failure instanceof StorageError ? failure.kind : "unknown";
  const { epoch, number, commit } = shard;
  const head = commit.durableSeq;
  if (kind !== "corrupt") thread.logger?.error({ err: failure, shard: number, kind }, "an append failed");
  switch (kind) {
    case "full":
    case "unavailable": {
      const refusal = notStored(kind);
      const fresh = thread.replace(shard, refusal);
      fresh.refusal = refusal;
      fresh.refusalUntilMs = thread.world.clock.monotonic() + refusedMs;
      reopenShard(thread, fresh, { shard: number, epoch, head, confirmedMs: commit.confirmedMs });
      return;
    }
    case "unknown":
      reopenShard(thread, thread.replace(shard, outcomeUnknown()), undefined);
      return;
    case "corrupt":
      thread.corruption.givesUp(number, failure);
      return;
    case "fenced":
      thread.lose(number);
      return;
    case "closed":
      // It may have been stored before the end.
      thread.lose(number, outcomeUnknown());
      return;
  }
}

function notStored(kind: "full" | "unavailable"): Refusal {
  return kind === "full" ? fullRefusal() : cutOffRefusal();
}

function outcomeUnknown(): Refusal {
  return refuse(
    "UNAVAILABLE",
    "whether this was stored is not known; repeat it with the same idempotency key",
    {
      retryAfterMs: 200,
    },
  );
}
