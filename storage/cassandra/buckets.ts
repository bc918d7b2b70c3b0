import { limits } from "#base";
import { StorageError } from "../error.ts";
import type { Log } from "../storage.ts";
import { bordersOf, type Piece, pieceOfBucket } from "./arrangement.ts";
import { reasonOf } from "./errors.ts";
import { Growth } from "./growth.ts";
import type { Lanes } from "./lanes.ts";
import type { Layout } from "./layouts.ts";
import { type Mover, move, type Place, removeLeftovers, rowsOf } from "./move.ts";
import { type BucketWrites, bucketName, rowOverheadBytes } from "./row-writes.ts";
import type { Session } from "./session.ts";

/**
 * Keeps the buckets of a worker's shards near their size, one step at a time, beside the flushes: a bucket that is too
 * large is divided, small neighbours are joined. A step that fails is tried again when its bucket has grown further.
 * Where rows arrive faster than buckets are divided, the flush waits (`fullBuckets`, `divideFirst`).
 */
export class Buckets implements Mover {
  readonly session: Session;
  readonly lanes: Lanes;
  readonly #bytesMax: number;
  readonly #log: Log;
  readonly #growth: Growth;
  readonly #waiting = new Map<string, () => Promise<void>>();
  #working: Promise<void> | undefined;
  /** Resolves when the step under way and those queued behind it have ended. */
  #step: Promise<void> = Promise.resolve();
  #nextLogMs = 0;
  closed = false;

  constructor(session: Session, lanes: Lanes, options: BucketsOptions) {
    this.session = session;
    this.lanes = lanes;
    this.#bytesMax = options.bytesMax;
    this.#log = options.log;
    this.#growth = new Growth(options.bytesMax);
  }

  /** The buckets that a flush would fill to more than 1.5 times their size: the flush waits until they are divided. */
  fullBuckets(layout: Layout, buckets: readonly BucketWrites[]): BucketWrites[] {
    const { handle } = layout;
    if (handle === undefined || handle.lost !== undefined || this.closed) return [];
    // Entries of earlier owners have to be stored as rows before any row can be moved.
    if (layout.stored < layout.openedHead) return [];
    return buckets.filter((writes) => this.#isFull(handle.shard, writes));
  }

  /** Divides a full bucket before the steps that wait. It never rejects: the rows have to be stored in any case. */
  async divideFirst(layout: Layout, writes: BucketWrites): Promise<void> {
    const { shard } = layout.handle!;
    const { partition, bucket } = writes;
    const name = bucketName(shard, partition, bucket);
    // A step that ran before may have divided it.
    if (this.#isFull(shard, writes))
      await this.#next(async () => {
        if (!this.#isFull(shard, writes)) return;
        this.#waiting.delete(name);
        await this.#look({ layout, partition }, bucket);
      });
    if (this.#isFull(shard, writes)) this.#growth.measured(name, this.#growth.bytes(name));
  }

  /** To be called when a flush of the shard's owner is stored. */
  wrote(layout: Layout, buckets: readonly BucketWrites[], watermark: number): void {
    if (layout.handle === undefined) return;
    const { shard } = layout.handle;
    layout.stored = Math.max(layout.stored, watermark);
    for (const { partition, bucket, putBytes } of buckets)
      if (this.#growth.wrote(bucketName(shard, partition, bucket), putBytes, watermark))
        this.#lookLater({ layout, partition }, bucket);
    const { leftovers } = layout.arrangement;
    if (leftovers.length > 0 && performance.now() - layout.movedAtMs >= limits.cassandraLeftoverMs)
      this.#later(`${shard}`, () => removeLeftovers(this, layout));
  }

  /**
   * A scan found no row in a whole piece. Its neighbours may stay full for long, so the piece is measured only now and
   * then.
   */
  foundEmpty(layout: Layout, partition: string, piece: Piece): void {
    if (layout.handle === undefined) return;
    const nowMs = performance.now();
    if (nowMs < (layout.nextLookMs.get(piece.bucket) ?? 0)) return;
    layout.nextLookMs.set(piece.bucket, nowMs + limits.cassandraLeftoverMs);
    this.#lookLater({ layout, partition }, piece.bucket);
  }

  async close(): Promise<void> {
    this.closed = true;
    this.#waiting.clear();
    await this.#working;
    await this.#step;
  }

  #isFull(shard: number, { partition, bucket, putBytes }: BucketWrites): boolean {
    const name = bucketName(shard, partition, bucket);
    const bytes = this.#growth.bytes(name) + putBytes;
    // A bucket that could not be divided is not measured again with every flush.
    return bytes > this.#bytesMax * fullShare && this.#growth.isDue(name, putBytes);
  }

  #lookLater(place: Place, bucket: number): void {
    const name = bucketName(place.layout.handle!.shard, place.partition, bucket);
    this.#later(name, () => this.#look(place, bucket));
  }

  /**
   * At most one task waits under each name. When too many wait, the task is dropped: the bucket is measured when it has
   * grown further.
   */
  #later(name: string, task: () => Promise<void>): void {
    if (this.closed || this.#waiting.has(name) || this.#waiting.size >= limits.cassandraLooksMax) return;
    this.#waiting.set(name, task);
    this.#working ??= this.#work();
  }

  async #work(): Promise<void> {
    for (const [name, task] of this.#waiting) {
      this.#waiting.delete(name);
      await this.#next(task);
    }
    this.#working = undefined;
  }

  /** Runs a task after all steps before it. */
  async #next(task: () => Promise<void>): Promise<void> {
    this.#step = this.#step.then(task).catch((error: unknown) => this.#failed(error));
    await this.#step;
  }

  #failed(error: unknown): void {
    const nowMs = performance.now();
    const moved = error instanceof StorageError && error.kind === "fenced";
    if (this.closed || moved || nowMs < this.#nextLogMs) return;
    this.#nextLogMs = nowMs + logEveryMs;
    this.#log(
      `a collection could not be divided or joined and grows until a later try succeeds: ${reasonOf(error)}`,
    );
  }

  async #look(place: Place, bucket: number): Promise<void> {
    const { layout, partition } = place;
    if (this.closed || layout.handle!.lost !== undefined || !layout.isMovable) return;
    const piece = pieceOfBucket(bordersOf(layout.arrangement, partition), bucket);
    // The bucket was joined with a neighbour meanwhile.
    if (piece === undefined) return;
    const size = await this.#measure(place, piece, Number.POSITIVE_INFINITY);
    if (size.bytes > this.#bytesMax) await this.#divide(place, piece, size);
    else if (size.bytes <= this.#bytesMax / joinParts) await this.#join(place, piece, size.bytes);
  }

  /**
   * Moves the end of a piece into a new bucket; the next part follows in a later step, so that other buckets are served
   * in between. Of the last piece of a collection only a small part is moved: where keys are written in order, little
   * is copied and new rows go to the new bucket.
   */
  async #divide(place: Place, piece: Piece, { bytes, marks }: Size): Promise<void> {
    const { layout, partition } = place;
    const now = layout.pieceAt(partition, piece.from);
    if (now.bucket !== piece.bucket || now.to !== piece.to || !layout.isMovable) return;
    const moved =
      piece.to === undefined
        ? this.#bytesMax / endParts
        : bytes / Math.ceil(bytes / (this.#bytesMax * filledShare));
    const border = marks.findLast((mark) => mark.before <= bytes - moved && mark.before > 0);
    if (border === undefined || this.#borderCount(layout) >= limits.cassandraBordersMax) return;
    const name = bucketName(layout.handle!.shard, partition, piece.bucket);
    const known = this.#growth.bytes(name);
    await move(this, place, { from: border.key, to: piece.to });
    // Rows written during the move may lie in either bucket: both count them.
    const grown = Math.max(0, this.#growth.bytes(name) - known);
    this.#resized(place, piece.from, border.before + grown);
    this.#resized(place, border.key, bytes - border.before + grown);
    if (border.before <= this.#bytesMax) return;
    const rest = { ...piece, to: border.key };
    // Added even when too many wait: perhaps no later write makes this bucket be measured again.
    this.#waiting.set(name, () => this.#divide(place, rest, { bytes: border.before, marks }));
    this.#working ??= this.#work();
  }

  async #join(place: Place, piece: Piece, bytes: number): Promise<void> {
    const borders = bordersOf(place.layout.arrangement, place.partition);
    if (borders.length === 1) return;
    const at = borders.findIndex(({ from }) => from === piece.from);
    const before = at === 0 ? undefined : place.layout.pieceAt(place.partition, borders[at - 1]!.from);
    const after = piece.to === undefined ? undefined : place.layout.pieceAt(place.partition, piece.to);
    const roomMax = this.#bytesMax / (joinParts / 2);
    for (const neighbour of [after, before]) {
      if (neighbour === undefined) continue;
      const size = await this.#measure(place, neighbour, roomMax - bytes);
      if (bytes + size.bytes > roomMax) continue;
      const [first, last] = neighbour === after ? [piece, neighbour] : [neighbour, piece];
      await move(this, place, { from: first.from, to: last.to });
      this.#resized(place, first.from, bytes + size.bytes);
      // The next neighbour may be small too.
      this.#lookLater(place, place.layout.pieceAt(place.partition, first.from).bucket);
      return;
    }
  }

  /** Records the size of a piece after a move. */
  #resized({ layout, partition }: Place, from: string, bytes: number): void {
    const { bucket } = layout.pieceAt(partition, from);
    this.#growth.measured(bucketName(layout.handle!.shard, partition, bucket), bytes);
  }

  /** Reads a piece until it has more than `enough` bytes. */
  async #measure({ layout, partition }: Place, piece: Piece, enough: number): Promise<Size> {
    const { shard } = layout.handle!;
    const name = bucketName(shard, partition, piece.bucket);
    const known = this.#growth.bytes(name);
    const marks: Mark[] = [];
    let bytes = 0;
    for await (const { key, value } of rowsOf(this, shard, partition, piece)) {
      if (bytes >= (marks.at(-1)?.before ?? 0) + this.#bytesMax / markParts)
        marks.push({ key, before: bytes });
      bytes += key.length + value.length + rowOverheadBytes;
      if (bytes > enough) break;
    }
    // Rows written during the reading may or may not have been read: they are counted.
    if (enough === Number.POSITIVE_INFINITY)
      this.#growth.measured(name, bytes + Math.max(0, this.#growth.bytes(name) - known));
    return { bytes, marks };
  }

  #borderCount(layout: Layout): number {
    return [...layout.arrangement.borders.values()].flat().length;
  }
}

export interface BucketsOptions {
  readonly bytesMax: number;
  readonly log: Log;
}

interface Size {
  readonly bytes: number;
  /** Keys at which a border may stand, with the bytes before them. */
  readonly marks: readonly Mark[];
}

interface Mark {
  readonly key: string;
  readonly before: number;
}

/** A flush waits while one of its buckets would exceed this multiple of its size. */
const fullShare = 1.5;
/**
 * Fractions of a bucket's size: what is moved from the end of the last piece; how full a new bucket is made; below
 * which size buckets are joined; the distance between possible borders.
 */
const endParts = 8;
const filledShare = 0.75;
const joinParts = 16;
const markParts = 64;
/** A Cassandra that is away makes every step fail. */
const logEveryMs = 60_000;
