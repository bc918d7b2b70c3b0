/**
 * Selects the groups in the files that count. Epochs own consecutive ranges of a shard's sequence. What an epoch wrote
 * at or after the first sequence of a later epoch was never acknowledged, and is dropped.
 */
export interface HistoryGroup {
  readonly epoch: number;
  readonly firstSeq: number;
  readonly count: number;
}

export interface History<G extends HistoryGroup> {
  /** In order of sequence. A group may have entries beyond `upTo`, which do not count. */
  readonly groups: readonly { readonly group: G; readonly upTo: number }[];
  readonly head: number;
  /** The first missing sequence after `after`, if there is one. */
  readonly missing?: number;
}

/** `opened` is the last open of the shard in the generation file. Entries up to `after` are in the tables. */
export function happened<G extends HistoryGroup>(
  found: readonly G[],
  opened: { readonly epoch: number; readonly head: number },
  after: number,
): History<G> {
  const sorted = found.toSorted((a, b) => a.epoch - b.epoch || a.firstSeq - b.firstSeq);
  const kept: { group: G; upTo: number }[] = [];
  // From the newest epoch to the oldest: each ends where the next one began.
  let bound = Number.MAX_SAFE_INTEGER;
  let begun = bound;
  let epoch = sorted.at(-1)?.epoch ?? 0;
  for (const group of sorted.toReversed()) {
    if (group.epoch !== epoch) {
      bound = Math.min(bound, begun - 1);
      epoch = group.epoch;
    }
    if (epoch < opened.epoch) bound = Math.min(bound, opened.head);
    begun = group.firstSeq;
    const upTo = Math.min(group.firstSeq + group.count - 1, bound);
    if (upTo >= group.firstSeq && upTo > after) kept.push({ group, upTo });
  }
  kept.reverse();
  return { groups: kept, ...extent(kept, opened.head, after) };
}

function extent(
  kept: readonly { group: HistoryGroup; upTo: number }[],
  openedHead: number,
  after: number,
): { head: number; missing?: number } {
  let head = after;
  for (const { group, upTo } of kept) {
    if (group.firstSeq > head + 1) return { head, missing: head + 1 };
    head = upTo;
  }
  return head < openedHead ? { head, missing: head + 1 } : { head };
}
