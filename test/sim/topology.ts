import type { Random } from "#base";
import type { EventSource } from "../../runtime/subscribe.ts";
import type { Routes } from "../../runtime/thread/thread.ts";
import type { Faults } from "./faults.ts";
import type { Process } from "./process.ts";
import type { Scheduler } from "./scheduler.ts";

/** Who runs the shards, how they reach each other, and what is done to them. */
export interface Topology {
  readonly processes: readonly Process[];
  /** Of the memory of one of them others may know nothing: it has to prove that it still is the owner. */
  readonly sharesStore: boolean;
  /** Processes ask again for their callers when a shard was on the move. */
  readonly retries?: boolean;
  start(): void;
  /** One fault of those that are drawn for the run. */
  act(): void;
  /** It ended by itself. */
  ended(process: Process): void;
  /** Who should be asked about a shard; callers are now and then behind the times. */
  ownerOf(shard: number, stale: number): Process | undefined;
  /** A subscriber comes: where it looks for events from then on. */
  eventPlaces(): EventPlaces;
  /** Faults are over: brings about a state in which everything can be asked of the first process. */
  heal(): Promise<void>;
}

/** By numbers that stay the same, whoever is there by then. */
export type EventPlaces = () => ReadonlyMap<number | string, EventPlace>;

/** A process, and how it is asked for events. */
export interface EventPlace {
  readonly process: Process;
  readonly look: EventSource;
}

/** Does one of what the faults of the run allow. */
export function actOne(chance: Random, acts: readonly (false | (() => void))[]): void {
  const allowed = acts.filter((act) => act !== false);
  if (allowed.length > 0) chance.pick(allowed)();
}

/** What a topology is made with. */
export interface Ground {
  readonly scheduler: Scheduler;
  readonly chance: Random;
  readonly shards: readonly number[];
  readonly faults: () => Faults;
  start(slot: number, routes: (from: Process) => Routes): Process;
}
