import { limits } from "#base";

/**
 * Every statement that this engine sends, except those of the schema. There are two kinds, never mixed on the same
 * cells: conditional ones, whose write time Paxos sets, and plain ones, which all carry their own time (checked by
 * statements.test.ts).
 */
export const journalStatements = {
  statics: 'SELECT DISTINCT shard, epoch, owner, head, "view", trimmed FROM journal WHERE shard = ?',
  page: "SELECT first_seq, last_seq, batch_epoch, body FROM journal WHERE shard = ? AND first_seq >= ? LIMIT ?",
  /** Finds the batch that holds a sequence: the last one that begins at or before it. */
  holder:
    "SELECT first_seq, last_seq, batch_epoch FROM journal WHERE shard = ? AND first_seq > 0 AND first_seq <= ? ORDER BY first_seq DESC LIMIT 1",
  /** How the rows of the shard lie in buckets: stored as one row before the first batch. */
  arrangement: "SELECT body FROM journal WHERE shard = ? AND first_seq = -1",
  create:
    'UPDATE journal SET epoch = ?, owner = ?, "view" = ?, head = 0, trimmed = 0 WHERE shard = ? IF epoch = null',
  /** Does not set the head: the old owner may move it until the moment at which this is applied. */
  take: 'UPDATE journal SET epoch = ?, owner = ?, "view" = ? WHERE shard = ? IF epoch = ? AND owner = ?',
  takeAtHead:
    'UPDATE journal SET epoch = ?, owner = ?, "view" = ? WHERE shard = ? IF epoch = ? AND owner = ? AND head = ?',
  bump: "UPDATE journal SET epoch = ? WHERE shard = ? IF epoch = ? AND owner = ?",
  advance: "UPDATE journal SET head = ? WHERE shard = ? IF epoch = ? AND owner = ? AND head = ?",
  /** The trim position only rises: a statement that arrives late must not declare removed entries present again. */
  trimmed: "UPDATE journal SET trimmed = ? WHERE shard = ? IF epoch = ? AND owner = ? AND trimmed < ?",
} as const;

/** Sent only inside a batch with one of the conditions above. */
export const guardedStatements = {
  insert: "INSERT INTO journal (shard, first_seq, last_seq, batch_epoch, body) VALUES (?, ?, ?, ?, ?)",
  arrange: "INSERT INTO journal (shard, first_seq, body) VALUES (?, -1, ?)",
  cut: "DELETE FROM journal WHERE shard = ? AND first_seq > 0 AND first_seq <= ?",
  putMember: "INSERT INTO members (cluster, node, incarnation, info) VALUES (0, ?, ?, ?)",
  removeMember: "DELETE FROM members WHERE cluster = 0 AND node = ?",
} as const;

export const tableStatements = {
  put: "INSERT INTO rows (shard, part, bucket, key, value) VALUES (?, ?, ?, ?, ?) USING TIMESTAMP ?",
  remove: "DELETE FROM rows USING TIMESTAMP ? WHERE shard = ? AND part = ? AND bucket = ? AND key = ?",
  removeFrom: "DELETE FROM rows USING TIMESTAMP ? WHERE shard = ? AND part = ? AND bucket = ? AND key >= ?",
  removeBetween:
    "DELETE FROM rows USING TIMESTAMP ? WHERE shard = ? AND part = ? AND bucket = ? AND key >= ? AND key < ?",
  get: "SELECT value FROM rows WHERE shard = ? AND part = ? AND bucket = ? AND key = ?",
  getMany: "SELECT key, value FROM rows WHERE shard = ? AND part = ? AND bucket = ? AND key IN ?",
  scan: "SELECT key, value FROM rows WHERE shard = ? AND part = ? AND bucket = ? AND key >= ? AND key < ? LIMIT ?",
  scanBack:
    "SELECT key, value FROM rows WHERE shard = ? AND part = ? AND bucket = ? AND key >= ? AND key < ? ORDER BY key DESC LIMIT ?",
  copy: "SELECT key, value, writetime(value) AS time FROM rows WHERE shard = ? AND part = ? AND bucket = ? AND key >= ? AND key < ?",
  liveBefore:
    "SELECT key FROM rows WHERE shard = ? AND part = ? AND bucket = ? AND key < ? ORDER BY key DESC LIMIT 1",
  liveFrom: "SELECT key FROM rows WHERE shard = ? AND part = ? AND bucket = ? AND key >= ? LIMIT 1",
  parts: "SELECT DISTINCT shard, part, bucket FROM rows",
  all: "SELECT key, value FROM rows WHERE shard = ? AND part = ? AND bucket = ?",
  putWatermark: "INSERT INTO watermarks (shard, watermark) VALUES (?, ?) USING TIMESTAMP ?",
  watermark: "SELECT watermark FROM watermarks WHERE shard = ?",
} as const;

/** A chunk is written once under its own id. The put has write time 1 and the removal 2, whichever arrives first. */
export const objectStatements = {
  putChunk:
    "INSERT INTO object_chunks (id, segment, chunk, body, digest) VALUES (?, ?, ?, ?, ?) USING TIMESTAMP 1",
  removeSegment: "DELETE FROM object_chunks USING TIMESTAMP 2 WHERE id = ? AND segment = ?",
  chunk: "SELECT body, digest FROM object_chunks WHERE id = ? AND segment = ? AND chunk = ?",
  segments: "SELECT DISTINCT id, segment FROM object_chunks",
  object: "SELECT id, bytes, digest FROM objects WHERE key = ?",
  objects: "SELECT key, id, bytes, digest FROM objects",
  create: "UPDATE objects SET id = ?, bytes = ?, digest = ? WHERE key = ? IF id = null",
  replace: "UPDATE objects SET id = ?, bytes = ?, digest = ? WHERE key = ? IF id = ?",
  remove: "DELETE FROM objects WHERE key = ? IF id = ?",
} as const;

export const metaStatements = {
  get: "SELECT value FROM meta WHERE name = ?",
  create: "INSERT INTO meta (name, value) VALUES (?, ?) IF NOT EXISTS",
  replace: "UPDATE meta SET value = ? WHERE name = ? IF value = ?",
} as const;

export const memberStatements = {
  all: "SELECT version, node, incarnation, info FROM members WHERE cluster = 0",
  first: "UPDATE members SET version = ? WHERE cluster = 0 IF version = null",
  raise: "UPDATE members SET version = ? WHERE cluster = 0 IF version = ?",
  beat: "INSERT INTO heartbeats (cluster, incarnation, beat) VALUES (0, ?, ?) USING TIMESTAMP ?",
  beats: "SELECT incarnation, beat FROM heartbeats WHERE cluster = 0",
  forgetBeats: "DELETE FROM heartbeats USING TIMESTAMP ? WHERE cluster = 0 AND incarnation = ?",
} as const;

/** A partition or key in the type that the driver expects. */
export function blobOf(text: string): Buffer {
  return Buffer.from(text, "latin1");
}

export function textOf(blob: Buffer): string {
  return blob.toString("latin1");
}

/** The exclusive end of a range of keys. */
export function endBlob(to = afterAllKeys): Buffer {
  return blobOf(to);
}

/** Greater than every key. */
const afterAllKeys = "\xff".repeat(limits.keyBytesMax + 1);
