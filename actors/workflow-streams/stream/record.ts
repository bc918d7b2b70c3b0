import { digestOf, limits } from "#base";
import type {
  CreateStreamRequest,
  StreamAuthorization,
  StreamCeilings,
  StreamProducer,
  StreamRedaction,
  StreamRetention,
} from "#protos";
import { type Address, type Caller, rowsOf } from "#runtime";

/** Of a new stream; the environment is that of the run, where there is one. */
export type CreateRequest = CreateStreamRequest & { readonly environment?: string };

/** What a stream is from its creation on, in the words of the contract; nothing of it changes. */
export interface Definition extends CreateStreamRequest {
  readonly id: string;
  readonly tenant: string;
  readonly environment: string;
  /** 0: no bound. */
  readonly retention: StreamRetention;
  readonly redaction: StreamRedaction;
  readonly authorization: StreamAuthorization;
  readonly ceilings: StreamCeilings & { readonly unread_items: number; readonly unread_bytes: number };
  /** 0: an append over an unread ceiling is refused at once. */
  readonly block_ms: number;
  readonly createdAt: number;
  /** Of the receipts of its objects. */
  readonly secret: string;
}

export function definitionOf(
  request: CreateRequest,
  given: Pick<Definition, "id" | "tenant" | "environment" | "createdAt" | "secret">,
): Definition {
  const { retention, redaction, authorization, ceilings, overflow = "reject" } = request;
  const { block_ms = limits.streamBlockMs } = request;
  return {
    ...request,
    ...given,
    retention: { max_age_seconds: 0, max_records: 0, max_bytes: 0, ...retention },
    redaction: { json_pointers: [], ...redaction },
    authorization: { read_roles: [], append_roles: [], ack_roles: [], ...authorization },
    ceilings: {
      unread_items: limits.streamUnreadItems,
      unread_bytes: limits.streamUnreadBytes,
      ...ceilings,
    },
    overflow,
    block_ms: overflow === "block" ? block_ms : 0,
  };
}

/** The same for definitions that say the same. */
export function definitionDigest({ id: _, createdAt: __, secret: ___, ...said }: Definition): string {
  return digestOf(said);
}

/** What a definition's roles are asked for. */
export type Act = "read" | "append" | "ack";

/** What every command of a caller has. */
export interface Asked<Type extends string> {
  readonly type: Type;
  readonly run_id: string;
  readonly stream_id: string;
  /** Of the caller; absent: a module asks, which nothing narrows. */
  readonly roles?: readonly string[];
}

/** Where the stream stands: one row, written once a commit. */
export interface Head {
  /** Sequence of the last record. */
  latest: number;
  /** Bytes of all records that were ever appended. */
  bytes: number;
  /** The last record that cannot be read any more; the earliest one is after it. */
  floor: number;
  /** Bytes of all records up to the floor. */
  floorBytes: number;
  /** The last record whose row may be gone: at most the floor, which is published first. */
  pruned: number;
  /** Rows of records that are stored, and those of them that are below the floor. */
  chunks: number;
  floorChunks: number;
  /** Objects of records below the floor, to be deleted with their rows: ids and keys. */
  floorObjects: readonly (readonly [string, string])[];
  /** Objects that are not committed. */
  openObjects: number;
  /** Producers that are remembered. */
  producers: number;
  closedAt?: number;
  hold?: Hold;
  /** Records a second that consumers acknowledged of late, and when that was last reckoned. */
  drained?: { readonly perSecond: number; readonly atMs: number };
  /** When the retention is looked at next; absent: it has nothing to look for. */
  trimAtMs?: number;
}

/** From the run of a deleted tenant to its stream, and to itself while it has objects to delete. */
export interface StreamPurge {
  readonly type: "purge";
  readonly tenant: string;
  readonly runId: string;
  readonly id: string;
}

/** From a stream to its run: input records were appended. */
export interface InputMessage {
  readonly type: "input";
  readonly events: readonly WaitEvent[];
}

export interface WaitEvent {
  /** Waits of a run hear only what is told in their environment. */
  readonly environment: string;
  readonly id: string;
  readonly key: string;
  readonly payload: unknown;
}

/** From a stream to its run: nothing of it is left. */
export interface StreamGone {
  readonly type: "stream_gone";
  readonly id: string;
}

interface Hold {
  readonly reason: string;
  readonly reference: string;
  readonly setBy: string;
  readonly setAt: number;
}

/**
 * Records that were appended together, in one row whose key is the sequence of the last one: the row that has a sequence is the
 * first one from it on.
 */
export interface Chunk {
  readonly first: number;
  /** Bytes of all records before. */
  readonly before: number;
  readonly at: number;
  readonly records: readonly StoredRecord[];
}

export interface StoredRecord {
  readonly kind: "data" | "input" | "control";
  readonly type: string;
  /** Bytes as base64. */
  readonly body:
    | { readonly payload: unknown }
    | { readonly bytes: string }
    | { readonly object: StoredObject };
  readonly size: number;
  readonly producer?: StreamProducer;
}

/** What a record keeps of its object. */
export interface StoredObject {
  readonly id: string;
  readonly key: string;
  readonly size: number;
  readonly digest: string;
  readonly schema: string;
}

/** An object from its announcement on. */
export interface ObjectRow {
  readonly id: string;
  /** Of the caller: the same one is the same object. */
  readonly key: string;
  readonly digest: string;
  readonly size: number;
  readonly type: string;
  readonly schema: string;
  readonly expiresAt: number;
  readonly state: "prepared" | "uploaded" | "committed" | "aborted" | "expired";
  readonly sequence?: number;
}

/** What is remembered of a producer when its records are appended. */
export interface ProducerPut {
  readonly id: string;
  readonly row: ProducerRow;
  readonly isNew: boolean;
}

/** What is remembered of a producer: a repeat of its last records is answered with the sequences they got. */
export interface ProducerRow {
  readonly epoch: number;
  readonly last: number;
  /** Oldest first. */
  readonly ranges: readonly ProducerRange[];
}

/** Records with the producer sequences `from` to `to` have the sequences from `first` on. */
interface ProducerRange {
  readonly from: number;
  readonly to: number;
  readonly first: number;
}

export interface Consumer {
  readonly id: string;
  readonly acked: number;
  /** Bytes of all records up to the acknowledged one. */
  readonly bytes: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export function streamAddress(tenant: string, streamId: string): Address {
  return { kind: "stream", tenant, key: streamId };
}

/** The module itself, for a caller of this tenant: nothing narrows it. */
export function moduleCaller({ tenant, requestId }: Caller): Caller {
  return {
    tenant,
    principalKind: "module",
    subject: "workflow-streams",
    owner: "workflow-streams",
    requestId,
    environmentMode: "any",
    platform: false,
  };
}

export function runAddress(tenant: string, runId: string): Address {
  return { kind: "workflow_wait", tenant, key: runId };
}

export function lastOf({ first, records }: Chunk): number {
  return first + records.length - 1;
}

/** Bytes of all records up to `sequence`, which this chunk has. */
export function bytesThrough({ first, before, records }: Chunk, sequence: number): number {
  let bytes = before;
  for (let i = 0; i <= sequence - first; i++) bytes += records[i]!.size;
  return bytes;
}

/** From the run to a new stream. */
export interface StreamCreation {
  readonly type: "create";
  readonly definition: Definition;
}

/** By the sequence of its last record. */
export const chunkRows = rowsOf<Chunk, readonly [number]>("chunks");
export const producerRows = rowsOf<ProducerRow>("producers");
export const objectRows = rowsOf<ObjectRow>("objects");
/** The id of the object that a caller's key made. */
export const objectKeyRows = rowsOf<string>("object_keys");

export interface State {
  definition?: Definition;
  readonly head: Head;
  readonly consumers: Map<string, Consumer>;
  /** The last chunks, for readers that keep up; all others are read from rows. */
  readonly tail: Chunk[];
  tailBytes: number;
  /** The head is to be written. */
  moved: boolean;
}

export type Event =
  | { readonly type: "created"; readonly definition: Definition }
  | { readonly type: "appended"; readonly chunks: readonly Chunk[]; readonly producer?: ProducerPut }
  | { readonly type: "consumer_put"; readonly consumer: Consumer; readonly acknowledges: boolean }
  | { readonly type: "consumer_deleted"; readonly id: string }
  | { readonly type: "closed"; readonly at: number }
  | { readonly type: "hold_set"; readonly hold?: Hold }
  | {
      readonly type: "floor_moved";
      readonly to: number;
      readonly bytes: number;
      readonly chunks: number;
      readonly objects: readonly (readonly [string, string])[];
    }
  | { readonly type: "object_put"; readonly object: ObjectRow }
  | { readonly type: "object_held"; readonly id: string; readonly untilMs: number }
  | { readonly type: "pruned" }
  | { readonly type: "objects_purged"; readonly objects: readonly ObjectRow[] }
  | { readonly type: "purged"; readonly tenant: string; readonly runId: string; readonly id: string }
  /** When the retention looks again; absent: not before something is appended. */
  | { readonly type: "trim_due"; readonly atMs?: number };
