import { hash32 } from "#base";

export interface Weighted {
  readonly node: string;
  readonly workers: number;
}

/**
 * The node of every shard, by rendezvous hashing: each node draws a lot for each shard and the best lot has it, so a node
 * that comes or goes moves its own share and nothing else. A node with twice the workers wins twice as often.
 */
export function ownersOf(members: readonly Weighted[], shardCount: number): readonly (string | undefined)[] {
  return Array.from({ length: shardCount }, (_, shard) => {
    let best: string | undefined;
    let bestLot = Number.NEGATIVE_INFINITY;
    for (const { node, workers } of members) {
      const lot = lotOf(node, workers, shard);
      if (lot > bestLot || (lot === bestLot && node < best!)) {
        best = node;
        bestLot = lot;
      }
    }
    return best;
  });
}

/** The logarithm makes the chances exactly proportional to the weights. */
function lotOf(node: string, workers: number, shard: number): number {
  const uniform = (hash32(`${node}\0${shard}`) + 0.5) / 2 ** 32;
  return Math.log(uniform) / workers;
}
