import type { Storage } from "#storage";
import type { Logger } from "../logger.ts";
import type { Kinds } from "../placement.ts";
import type { WatchedClock } from "../thread/clock.ts";
import type { EventReaders } from "../thread/event-readers.ts";
import type { RuntimeLimits } from "../thread/limits.ts";
import type { Mailboxes } from "../thread/mailboxes.ts";
import type { Parking } from "../thread/parking.ts";
import type { Residents } from "../thread/residents.ts";
import type { World } from "../world.ts";
import type { Cell } from "./cell.ts";

/** What the parts of a shard use of its thread. Each names those it needs: `Pick<ThreadParts, "limits">`. */
export interface ThreadParts {
  readonly world: World;
  readonly storage: Storage;
  readonly limits: RuntimeLimits;
  readonly logger: Logger | undefined;
  readonly kinds: Kinds;
  readonly clock: WatchedClock;
  readonly mailboxes: Mailboxes;
  readonly parking: Parking;
  readonly residents: Residents;
  /** Cells that rest after too many failures. */
  readonly failing: Set<Cell>;
  readonly eventReaders: EventReaders;
  readonly checkpoints: {
    /** The tables cannot keep up. */
    readonly behind: boolean;
    readonly behindSinceMs: number | undefined;
    run(): void;
  };
  /** How far the messages of a shard have arrived, as far as its owner has told; 0: nothing is known. */
  readonly settled: { readonly size: number; of(shard: number): number };
  readonly draining: boolean;
  readonly stopped: boolean;
  /** It is about to stop: no command may wait for others. */
  readonly hasNoWaits: boolean;
  /** Others may take our shards, and we hear of it later. */
  readonly sharesStore: boolean;
  readonly reachesStore: boolean;
  /** The cell has something to do. */
  schedule(cell: Cell): void;
  /** A commit or a heartbeat has proven it lately. */
  ownershipProven(shard: {
    readonly number: number;
    /** `confirmedMs`: when the last commit that proved it began. */
    readonly commit: { readonly confirmedMs: number };
  }): boolean;
  broadcast(topic: string, payload: unknown): void;
}
