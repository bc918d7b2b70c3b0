import { assert, type Refusal, refuse, toRfc3339 } from "#base";
import { type Journal, type OpenedShard, StorageError } from "#storage";
import { cutOffRefusal, fullRefusal, isCorruption } from "../refusals.ts";
import { unpackValue } from "../shard/codec.ts";
import { decodeChanges } from "../shard/entry.ts";
import { fold } from "../shard/join.ts";
import { metaPartition } from "../shard/meta.ts";
import { keyOf } from "../shard/partition.ts";
import type { Host, Shard } from "../shard/shard.ts";

/** A shard that is ours by this epoch. */
interface OwnedShard extends OpenedShard {
  /** When whatever last proved it began, on the monotonic clock: since then another may have taken it. */
  readonly confirmedMs: number;
}

/** How long writes are refused at once after the store said no; then one is tried. */
const refusedMs = 1_000;
/** Between two tries: doubled from the first to the second. */
const backOffMs = 50;
const backOffMsMax = 5_000;

/**
 * Takes shards: a new epoch for each in one durable step, then what their journals hold beyond the tables. An error of
 * our own ends it: the operator who starts it sees it.
 */
export async function openShards(thread: Host, terms: readonly Shard[], view: number): Promise<void> {
  const givesUp = (failure: unknown) => isGone(failure) || !(failure instanceof StorageError);
  try {
    const opened = await openSound(thread, terms, view, givesUp);
    await Promise.all(
      opened.map(([term, one]) =>
        recoverPatiently(thread, term, one, givesUp).catch((failure: unknown) => {
          if (!isCorruption(failure)) throw failure;
          thread.corruption.givesUp(term.number, failure);
        }),
      ),
    );
    warnOfFuture(thread, terms);
  } catch (failure) {
    for (const { number } of terms) thread.lose(number);
    throw failure;
  }
}

/** Opens all of them but those that the store says are corrupt: the others go on. */
async function openSound(
  thread: Host,
  terms: readonly Shard[],
  view: number,
  givesUp: (failure: unknown) => boolean,
): Promise<readonly (readonly [Shard, OwnedShard])[]> {
  let left = terms;
  while (left.length > 0)
    try {
      const numbers = left.map(({ number }) => number);
      const opened = await openPatiently(thread, numbers, view, givesUp);
      return opened.map((one, i) => [left[i]!, one]);
    } catch (failure) {
      const corrupt = isCorruption(failure) ? (failure as StorageError).shard : undefined;
      const others = left.filter(({ number }) => number !== corrupt);
      if (corrupt === undefined || others.length === left.length) throw failure;
      thread.corruption.givesUp(corrupt, failure);
      left = others;
    }
  return [];
}

/** Shard time never goes back: it goes on from what is stored, ahead of the clock. */
function warnOfFuture(thread: Host, terms: readonly Shard[]): void {
  const latestMs = terms.reduce((latest, { timeMs }) => Math.max(latest, timeMs), 0);
  const aheadMs = latestMs - thread.clock.now();
  if (aheadMs <= thread.limits.clockBehindMsMax) return;
  const fields = { ahead_ms: aheadMs, until: toRfc3339(latestMs) };
  thread.logger?.warn(
    fields,
    "the clock is behind what is stored: shard time goes on from there by the monotonic clock",
  );
}

/**
 * Rebuilds one shard whose memory was dropped, after a pause if it has failed before; without a known epoch it takes a new one first, which settles every doubt.
 * No caller waits for it that could react to a failure. So it is tried again, after an error of our own too, until
 * the store says that there is nothing more to be had here.
 */
export function reopenShard(
  thread: Host,
  term: Shard,
  known: OwnedShard | undefined,
  failuresBefore = 0,
): void {
  const reopen = () =>
    recoverPatiently(thread, term, known, isGone).catch((failure: unknown) => {
      if (isCorruption(failure)) {
        thread.corruption.givesUp(term.number, failure);
        return;
      }
      thread.logger?.error({ err: failure, shard: term.number }, "a shard is lost");
      thread.lose(term.number);
    });
  if (failuresBefore === 0) void reopen();
  else thread.world.setTimer(Math.min(backOffMs * 2 ** (failuresBefore - 1), backOffMsMax), reopen);
}

async function openPatiently(
  thread: Host,
  numbers: readonly number[],
  view: number,
  givesUp: (failure: unknown) => boolean,
): Promise<readonly OwnedShard[]> {
  for (let delayMs = backOffMs; ; delayMs = Math.min(delayMs * 2, backOffMsMax)) {
    try {
      return await openNow(thread, numbers, view);
    } catch (failure) {
      if (givesUp(failure) || thread.stopped) throw failure;
      thread.logger?.warn({ err: failure }, "the journal could not be opened and is tried again");
      await pause(thread, delayMs);
    }
  }
}

async function openNow(
  thread: Host,
  numbers: readonly number[],
  view: number,
): Promise<readonly OwnedShard[]> {
  const confirmedMs = thread.world.clock.monotonic();
  const opened = await thread.storage.journal.open(numbers, view);
  return opened.map((one) => ({ ...one, confirmedMs }));
}

/** Throws what it gives up for. Ends without a word when the shard has another ownership term: one that a newer view began. */
async function recoverPatiently(
  thread: Host,
  first: Shard,
  known: OwnedShard | undefined,
  givesUp: (failure: unknown) => boolean,
): Promise<void> {
  const { number } = first;
  let term = first;
  let opened = known;
  const isOurs = () => thread.shards.get(number) === term && !thread.stopped;
  for (let delayMs = backOffMs; isOurs(); delayMs = Math.min(delayMs * 2, backOffMsMax)) {
    try {
      // Not on a later view: a shard that a node has taken on it is asked for, not taken back.
      opened ??= (await openNow(thread, [number], term.view))[0]!;
      await recover(thread, term, opened);
      return;
    } catch (failure) {
      if (!isOurs()) return;
      if (givesUp(failure)) throw failure;
      thread.logger?.error({ err: failure, shard: number }, "a shard could not be read and is tried again");
      if (opened !== undefined) term = thread.replace(term, couldNotBeRead());
      // What we believe of it may be what is wrong.
      if (!(failure instanceof StorageError)) opened = undefined;
      await pause(thread, delayMs);
    }
  }
}

/** Folds the row changes after the watermark into the buffer; nothing is decided or applied again. */
async function recover(thread: Host, shard: Shard, owned: OwnedShard): Promise<void> {
  const { epoch, head, confirmedMs } = owned;
  const { journal, tables } = thread.storage;
  const watermark = await tables.watermark(shard.number);
  if (watermark > head) await refuseNewerTables(journal, owned, watermark);
  // After the watermark: what was written between the two makes it later, never earlier than the rows.
  const time = await tables.get({
    shard: shard.number,
    partition: metaPartition.text,
    key: keyOf(["time"]),
  });
  if (time !== undefined) shard.timeMs = unpackValue(time, metaPartition) as number;
  let seq = watermark;
  for await (const entry of journal.replay(shard.number, watermark)) {
    assert(entry.seq === seq + 1, `journal position ${entry.seq} of shard ${shard.number} follows ${seq}`);
    seq = entry.seq;
    if (seq > head) throw new StorageError("fenced", `shard ${shard.number} has entries of a later owner`);
    const { changes, bytes, now } = decodeChanges(entry.bytes);
    fold(shard, changes, bytes, 0, seq);
    shard.timeMs = Math.max(shard.timeMs, now);
  }
  assert(seq === head, `the journal of shard ${shard.number} ends at its head ${head}`);
  if (shard.status !== "opening") return;
  shard.ready(epoch, seq, confirmedMs);
  thread.trims.opened(shard, watermark);
}

/**
 * The tables are ahead of the journal. Another owner may have stored that since, which an append of nothing finds out.
 * Otherwise the two are copies of different times: a shard that went on from there would number new entries as lost ones.
 */
async function refuseNewerTables(journal: Journal, owned: OwnedShard, watermark: number): Promise<never> {
  const { shard, epoch, head } = owned;
  await journal.append({ shard, epoch, firstSeq: head + 1, entries: [] });
  throw new StorageError(
    "corrupt",
    `the tables of shard ${shard} reach sequence ${watermark}, but its journal ends at ${head}: the tables are a newer copy than the journal`,
    { shard },
  );
}

/** Nothing more can be done here: another owner, a corrupt store, or our own end. */
function isGone(failure: unknown): boolean {
  if (!(failure instanceof StorageError)) return false;
  return failure.kind === "fenced" || failure.kind === "corrupt" || failure.kind === "closed";
}

function couldNotBeRead(): Refusal {
  return refuse("UNAVAILABLE", "the shard could not be read", { retryAfterMs: 1_000 });
}

function pause(thread: Host, delayMs: number): Promise<void> {
  return new Promise((resolve) => thread.world.setTimer(delayMs, resolve));
}

/**
 * An append did not succeed. What was decided since is dropped with the ownership term: there is no undo. If the entries
 * surely were not stored, the same epoch goes on; otherwise a new epoch settles whether they were.
 */
export function failedAppend(thread: Host, shard: Shard, failure: unknown): void {
  const kind = failure instanceof StorageError ? failure.kind : "unknown";
  const { epoch, number, commit } = shard;
  const head = commit.durableSeq;
  if (kind !== "corrupt") thread.logger?.error({ err: failure, shard: number, kind }, "an append failed");
  switch (kind) {
    case "full":
    case "unavailable": {
      const refusal = kind === "full" ? fullRefusal() : cutOffRefusal();
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

function outcomeUnknown(): Refusal {
  return refuse(
    "UNAVAILABLE",
    "whether this was stored is not known; repeat it with the same idempotency key",
    {
      retryAfterMs: 200,
    },
  );
}
