import { corrupt } from "../error.ts";

/**
 * How the collections of a shard lie in buckets. A collection that is not listed has bucket 0 only, as most have. The
 * name of a bucket is random and used once, and its range of keys only ever becomes smaller. So a row that an earlier
 * owner writes late is either the row that is there already, or lies in a range that is not read.
 */
export interface Arrangement {
  /** By collection: the first key of each bucket, in the order of keys. The first one is "". */
  readonly borders: ReadonlyMap<string, readonly Border[]>;
  /** Buckets, or parts of them, whose rows were moved away and have yet to be deleted. */
  readonly leftovers: readonly Leftover[];
}

export interface Border {
  readonly from: string;
  readonly bucket: number;
}

/** A range of a collection's keys and the bucket that holds it. */
export interface Piece {
  readonly bucket: number;
  /** Inclusive. */
  readonly from: string;
  /** Exclusive; undefined: to the last. */
  readonly to?: string | undefined;
}

export interface Leftover extends Piece {
  readonly partition: string;
}

export const undivided: Arrangement = { borders: new Map(), leftovers: [] };
const oneBucket: readonly Border[] = [{ from: "", bucket: 0 }];

export function bordersOf(arrangement: Arrangement, partition: string): readonly Border[] {
  return arrangement.borders.get(partition) ?? oneBucket;
}

/** The piece that holds a key. */
export function pieceAt(borders: readonly Border[], key: string): Piece {
  return pieceOf(
    borders,
    borders.findLastIndex(({ from }) => from <= key),
  );
}

/** The piece that lies in a bucket; undefined if none does any more. */
export function pieceOfBucket(borders: readonly Border[], bucket: number): Piece | undefined {
  const index = borders.findIndex((border) => border.bucket === bucket);
  return index < 0 ? undefined : pieceOf(borders, index);
}

/** The pieces that overlap a range, in order, each cut to the range. */
export function piecesBetween(borders: readonly Border[], from: string, to: string | undefined): Piece[] {
  return borders
    .map((_, index) => clip(pieceOf(borders, index), from, to))
    .filter((piece) => piece !== undefined);
}

/** The part of a piece inside a range; undefined where they do not overlap. */
export function clip(piece: Piece, from: string, to: string | undefined): Piece | undefined {
  const first = piece.from < from ? from : piece.from;
  const end = piece.to === undefined || (to !== undefined && to < piece.to) ? to : piece.to;
  return end !== undefined && first >= end ? undefined : { bucket: piece.bucket, from: first, to: end };
}

export function contains({ from, to }: Piece, key: string): boolean {
  return from <= key && (to === undefined || key < to);
}

/**
 * The borders after all keys of a range were moved into one bucket. The range begins inside a piece and ends at a
 * border.
 */
export function withPiece(borders: readonly Border[], piece: Piece): Border[] {
  const others = borders.filter(({ from }) => !contains(piece, from));
  return [...others, { from: piece.from, bucket: piece.bucket }].sort((a, b) => (a.from < b.from ? -1 : 1));
}

function pieceOf(borders: readonly Border[], index: number): Piece {
  const { from, bucket } = borders[index]!;
  return { bucket, from, to: borders[index + 1]?.from };
}

const version = 1;

export function encodeArrangement({ borders, leftovers }: Arrangement): Buffer {
  return Buffer.from(JSON.stringify({ version, borders: [...borders], leftovers }));
}

export function decodeArrangement(body: Buffer, where: string): Arrangement {
  const stored = JSON.parse(body.toString());
  if (stored.version !== version)
    throw corrupt(`${where}: its borders have the unknown version ${stored.version}`);
  return { borders: new Map(stored.borders), leftovers: stored.leftovers };
}
