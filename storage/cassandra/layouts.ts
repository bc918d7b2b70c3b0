import {
  type Arrangement,
  bordersOf,
  clip,
  contains,
  decodeArrangement,
  type Piece,
  pieceAt,
  piecesBetween,
  undivided,
} from "./arrangement.ts";
import { pursue } from "./errors.ts";
import type { Session } from "./session.ts";
import type { ShardHandle } from "./shard.ts";
import { journalStatements } from "./statements.ts";

/** A piece that is being copied into a new bucket. Until the copy is done, every write to it goes to both buckets. */
export interface Move {
  readonly partition: string;
  /** The piece as it will be after the move, with the new bucket. */
  readonly piece: Piece;
}

/** Where the rows of a shard lie, during one ownership of the shard. */
export class Layout {
  /** Absent: this worker only reads the shard. */
  readonly handle: ShardHandle | undefined;
  /** The head at the take-over: no earlier owner can flush an entry above it. */
  readonly openedHead: number;
  arrangement: Arrangement;
  move: Move | undefined;
  /** The last watermark that this owner stored. */
  stored = 0;
  /** When the arrangement was last read or changed, on the monotonic clock. */
  movedAtMs = performance.now();
  /** By bucket: an empty one is not measured again before this time. */
  readonly nextLookMs = new Map<number, number>();
  readonly #flushes = new Set<Promise<unknown>>();

  constructor(arrangement: Arrangement, handle?: ShardHandle) {
    this.arrangement = arrangement;
    this.handle = handle;
    this.openedHead = handle?.head ?? 0;
  }

  /**
   * True when this owner has stored every row that an earlier owner could still flush, and no move is under way or
   * undecided.
   */
  get isMovable(): boolean {
    return this.stored >= this.openedHead && this.move === undefined;
  }

  moved(): void {
    this.move = undefined;
    this.movedAtMs = performance.now();
  }

  /** The piece from which a key is read. */
  pieceAt(partition: string, key: string): Piece {
    return pieceAt(bordersOf(this.arrangement, partition), key);
  }

  pieces(partition: string, from: string, to: string | undefined): Piece[] {
    return piecesBetween(bordersOf(this.arrangement, partition), from, to);
  }

  /** The buckets to which a change of a key is written. */
  bucketsFor(partition: string, key: string): number[] {
    const { bucket } = this.pieceAt(partition, key);
    const moving = this.move?.partition === partition && contains(this.move.piece, key);
    return moving ? [bucket, this.move!.piece.bucket] : [bucket];
  }

  /** The pieces in which a range is deleted. */
  piecesToClear(partition: string, from: string, to: string | undefined): Piece[] {
    const pieces = this.pieces(partition, from, to);
    const moving = this.move?.partition === partition ? clip(this.move.piece, from, to) : undefined;
    return moving === undefined ? pieces : [...pieces, moving];
  }

  /** Call it in the same iteration of the event loop in which the flush asked for its buckets. */
  flushing(flush: Promise<unknown>): void {
    this.#flushes.add(flush);
    const end = () => void this.#flushes.delete(flush);
    flush.then(end, end);
  }

  /** Resolves when all flushes that are under way now have ended. */
  async flushed(): Promise<void> {
    await Promise.allSettled([...this.#flushes]);
  }
}

/**
 * The layouts of a worker's shards. That of an owned shard is read once, after the take-over: only the owner can change
 * it.
 */
export class Layouts {
  readonly #session: Session;
  readonly #owned = new Map<number, Layout>();

  constructor(session: Session) {
    this.#session = session;
  }

  async opened(handle: ShardHandle): Promise<void> {
    this.#owned.set(handle.shard, new Layout(await readArrangement(this.#session, handle.shard), handle));
  }

  async of(shard: number): Promise<Layout> {
    return this.#owned.get(shard) ?? new Layout(await readArrangement(this.#session, shard));
  }
}

export async function readArrangement(session: Session, shard: number): Promise<Arrangement> {
  return await pursue(async () => {
    const row = (await session.serial(journalStatements.arrangement, [shard])).first();
    return row === null ? undivided : decodeArrangement(row.body, `shard ${shard}`);
  }, `shard ${shard}: its borders could not be read`);
}
