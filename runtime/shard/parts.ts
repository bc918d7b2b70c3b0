import type { Refusal } from "#base";
import type { Address } from "../actor.ts";
import type { Kind } from "../placement.ts";
import type { WriteBuffer } from "./buffer.ts";
import type { Cell, Entity, ShardStatus, Work } from "./cell.ts";
import type { CommitLog } from "./commit.ts";
import type { CommandContext } from "./context.ts";
import type { EffectRow } from "./effect-row.ts";
import type { ShardMetrics } from "./metrics.ts";
import type { Ran } from "./next.ts";
import type { Outbox } from "./outbox.ts";
import type { Partition } from "./partition.ts";
import type { Reader } from "./reader.ts";
import type { Recorder } from "./recorder.ts";
import type { ThreadParts } from "./thread-parts.ts";
import type { TimerWindow } from "./timers.ts";

/** What the steps of a command and the parts of a shard use of it. `Shard` has all of this, and none of them imports that. */
export interface ShardParts {
  readonly number: number;
  readonly status: ShardStatus;
  readonly thread: ThreadParts;
  readonly buffer: WriteBuffer;
  readonly reader: Reader;
  readonly context: CommandContext;
  readonly recorder: Recorder;
  readonly turn: OpenTurn;
  readonly commit: CommitLog;
  readonly timers: TimerWindow;
  readonly alarm: { arm(): void; handled(): void };
  readonly outbox: Outbox;
  readonly outgoing: { joined(seq: number): void };
  readonly metrics: ShardMetrics;
  /** When its opening began, on the monotonic clock. */
  readonly openingMs: number;
  /** Cells that have work and cannot run now: the shard is being opened, or too much waits for the disk. */
  readonly waiting: Cell[];
  /** Too much is decided and not durable. */
  readonly congested: boolean;
  /** Why the store takes no changes now, as far as that is known. */
  readonly storeRefusal: Refusal | undefined;
  /** Shard time of the last decided change. */
  timeMs: number;
  now(): number;
  setTimer(delayMs: number, step: () => void): () => void;
  /** Something of the runtime threw: the ownership term ends. */
  failed(error: unknown): void;
  /** It may have something to append. */
  markDirty(): void;
  cell(kind: Kind, address: Address): Cell;
  forgetIdle(cell: Cell): void;
  /** The time of an effect has come. */
  effectDue(address: Address, id: string, dueMs: number): void;
  /** The entity has ended an effect. */
  effectEnded(address: Address, id: string): void;
}

/** The commands that a cell has run since its turn began; `Turn` says more. */
export interface OpenTurn {
  readonly isOpen: boolean;
  readonly closing: boolean;
  enter(cell: Cell, now: number): Recorder;
  happened(entity: Entity, seed: string, events: readonly unknown[]): void;
  buffered(partition: Partition, key: string): Uint8Array | null | undefined;
  effectOf(entity: Entity, id: string): EffectRow | null | undefined;
  ran(work: Work, ran: Ran): void;
  close(): void;
  abandon(): Work[];
}
