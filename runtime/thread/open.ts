import { assert, refuse } from "#base";
import { type OpenedShard, StorageError } from "#storage";
import { bytesOf, unpackValue } from "../shard/codec.ts";
import { decodeEntry } from "../shard/entry.ts";
import { keyOf } from "../shard/partition.ts";
import { metaPartition, type Shard } from "../shard/shard.ts";
import type { Thread } from "./thread.ts";

const backOffMsMax = 5_000;

/** Takes shards: a new epoch for each in one durable step, then what their journals hold beyond the tables. */
export async function openShards(thread: Thread, numbers: readonly number[], view: number): Promise<void> {
  const opened = await openPatiently(thread, numbers, view);
  await Promise.all(opened.map((one) => recoverPatiently(thread, one)));
}

/** Rebuilds one shard whose memory was dropped. With `reopen` it takes a new epoch first, which settles every doubt. */
export function reopenShard(thread: Thread, shard: Shard, known: OpenedShard | undefined): void {
  const recovered =
    known === undefined ? openShards(thread, [shard.number], thread.view) : recoverPatiently(thread, known);
  recovered.catch((failure: unknown) => {
    thread.logger?.error({ err: failure, shard: shard.number }, "a shard is lost");
  });
}

async function openPatiently(
  thread: Thread,
  numbers: readonly number[],
  view: number,
): Promise<readonly OpenedShard[]> {
  for (let delayMs = 50; ; delayMs = Math.min(delayMs * 2, backOffMsMax)) {
    try {
      return await thread.storage.journal.open(numbers, view);
    } catch (failure) {
      if (isFinal(failure) || thread.stopped) return lose(thread, numbers, failure);
      thread.logger?.warn({ err: failure }, "the journal could not be opened and is tried again");
      await pause(thread, delayMs);
    }
  }
}

async function recoverPatiently(thread: Thread, opened: OpenedShard): Promise<void> {
  for (let delayMs = 50; ; delayMs = Math.min(delayMs * 2, backOffMsMax)) {
    const shard = thread.shards.get(opened.shard);
    if (shard === undefined || shard.status !== "opening") return;
    try {
      await recover(thread, shard, opened);
      return;
    } catch (failure) {
      if (isFinal(failure) || thread.stopped) return lose(thread, [opened.shard], failure);
      thread.logger?.warn(
        { err: failure, shard: opened.shard },
        "a shard could not be read and is tried again",
      );
      thread.replace(shard, refuse("UNAVAILABLE", "the shard could not be read", { retryAfterMs: 1_000 }));
      await pause(thread, delayMs);
    }
  }
}

/** Folds the row changes after the watermark into the buffer; nothing is decided or applied again. */
async function recover(thread: Thread, shard: Shard, { epoch, head }: OpenedShard): Promise<void> {
  const { journal, tables } = thread.storage;
  const watermark = await tables.watermark(shard.number);
  const time = await tables.get({
    shard: shard.number,
    partition: metaPartition.bytes,
    key: bytesOf(keyOf(["time"])),
  });
  if (time !== undefined) shard.timeMs = unpackValue(time) as number;
  let seq = watermark;
  for await (const entry of journal.replay(shard.number, watermark)) {
    assert(entry.seq === seq + 1, `journal position ${entry.seq} of shard ${shard.number} follows ${seq}`);
    seq = entry.seq;
    if (seq > head) throw new StorageError("fenced", `shard ${shard.number} has entries of a later owner`);
    const { changes, bytes, now } = decodeEntry(entry.bytes);
    shard.fold(changes, bytes, 0, seq);
    shard.timeMs = Math.max(shard.timeMs, now);
  }
  assert(seq === Math.max(head, watermark), `the journal of shard ${shard.number} ends at its head ${head}`);
  if (shard.status === "opening") shard.ready(epoch, seq);
}

/** Nothing more can be done here: another owner, a damaged store, or our own end. */
function lose(thread: Thread, numbers: readonly number[], failure: unknown): never {
  for (const number of numbers) thread.lose(number);
  throw failure;
}

function isFinal(failure: unknown): boolean {
  if (!(failure instanceof StorageError)) return true;
  return failure.kind === "fenced" || failure.kind === "corrupt" || failure.kind === "closed";
}

function pause(thread: Thread, delayMs: number): Promise<void> {
  return new Promise((resolve) => thread.world.setTimer(delayMs, resolve));
}
