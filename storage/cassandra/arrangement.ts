import { StorageError } from "../error.ts";

/**
 * How the collections of a shard lie in buckets. Most lie in bucket 0 alone and are not named here. A bucket's name is
 * drawn afresh, and its range of keys only ever becomes smaller: so what an earlier owner puts into it late is either
 * what stands there or in a range that no one reads.
 */
export interface Arrangement {
  /** By collection: where each bucket begins, in the order of keys; the first begins at "". */
  readonly borders: ReadonlyMap<string, readonly Border[]>;
  /** Copies that were moved away from here and are to be removed. */
  readonly leftovers: readonly Leftover[];
}

export interface Border {
  readonly from: string;
  readonly bucket: number;
}

/** A part of a collection and the bucket that has it. */
export interface Piece {
  readonly bucket: number;
  /** Inclusive. */
  readonly from: string;
  /** Exclusive; undefined: to the last. */
  readonly to: string | undefined;
}

export interface Leftover extends Piece {
  readonly partition: string;
}

export const undivided: Arrangement = { borders: new Map(), leftovers: [] };
const oneBucket: readonly Border[] = [{ from: "", bucket: 0 }];

export function bordersOf(arrangement: Arrangement, partition: string): readonly Border[] {
  return arrangement.borders.get(partition) ?? oneBucket;
}

/** The piece that has a key. */
export function pieceAt(borders: readonly Border[], key: string): Piece {
  return pieceOf(borders, indexAt(borders, key));
}

/** The piece that a bucket has; undefined if it has none any more. */
export function pieceOfBucket(borders: readonly Border[], bucket: number): Piece | undefined {
  const index = borders.findIndex((border) => border.bucket === bucket);
  return index < 0 ? undefined : pieceOf(borders, index);
}

/** The pieces that have keys of a range, in order, each cut to it. */
export function piecesBetween(borders: readonly Border[], from: string, to: string | undefined): Piece[] {
  const pieces: Piece[] = [];
  for (let i = indexAt(borders, from); i < borders.length; i++) {
    const piece = clip(pieceOf(borders, i), from, to);
    if (piece === undefined) break;
    pieces.push(piece);
  }
  return pieces;
}

/** The part of a piece inside a range; undefined where they do not meet. */
export function clip(piece: Piece, from: string, to: string | undefined): Piece | undefined {
  const first = piece.from < from ? from : piece.from;
  const end = piece.to === undefined || (to !== undefined && to < piece.to) ? to : piece.to;
  return end !== undefined && first >= end ? undefined : { bucket: piece.bucket, from: first, to: end };
}

export function contains({ from, to }: Piece, key: string): boolean {
  return from <= key && (to === undefined || key < to);
}

/** The borders once all keys of a piece lie in its bucket; it begins inside one piece and ends at a border. */
export function withPiece(borders: readonly Border[], piece: Piece): Border[] {
  const others = borders.filter(({ from }) => !contains(piece, from));
  return [...others, { from: piece.from, bucket: piece.bucket }].sort((a, b) => (a.from < b.from ? -1 : 1));
}

function indexAt(borders: readonly Border[], key: string): number {
  let low = 0;
  let high = borders.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (borders[middle]!.from <= key) low = middle;
    else high = middle - 1;
  }
  return low;
}

function pieceOf(borders: readonly Border[], index: number): Piece {
  const { from, bucket } = borders[index]!;
  return { bucket, from, to: borders[index + 1]?.from };
}

const version = 1;

export function encodeArrangement({ borders, leftovers }: Arrangement): Buffer {
  const collections = [...borders].map(([partition, list]) => [
    partition,
    list.map(({ from, bucket }) => [from, bucket]),
  ]);
  const left = leftovers.map(({ partition, bucket, from, to }) => [partition, bucket, from, to ?? null]);
  return Buffer.from(JSON.stringify({ version, collections, left }));
}

export function decodeArrangement(body: Buffer, where: string): Arrangement {
  const stored = JSON.parse(body.toString()) as StoredArrangement;
  if (stored.version !== version)
    throw new StorageError("corrupt", `${where}: its borders have the unknown version ${stored.version}`);
  return {
    borders: new Map(
      stored.collections.map(([partition, list]) => [
        partition,
        list.map(([from, bucket]) => ({ from, bucket })),
      ]),
    ),
    leftovers: stored.left.map(([partition, bucket, from, to]) => ({
      partition,
      bucket,
      from,
      to: to ?? undefined,
    })),
  };
}

interface StoredArrangement {
  readonly version: number;
  readonly collections: readonly [string, readonly [string, number][]][];
  readonly left: readonly [string, number, string, string | null][];
}
