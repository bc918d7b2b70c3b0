import type { Random } from "#base";
import type { EventSource } from "../../runtime/subscribe.ts";
import type { Routes } from "../../runtime/thread/thread.ts";
import type { Faults } from "./faults.ts";
import type { Process } from "./process.ts";
import type { Scheduler } from "./scheduler.ts";

/** Which processes run the shards, how they reach each other, and the faults that happen to them. */
export interface Topology {
  readonly processes: readonly Process[];
  /** True: other processes may take a shard, so an owner has to prove that it still owns it. */
  readonly sharesStore: boolean;
  /** Processes repeat their callers' questions when a shard was moving. */
  readonly retries?: boolean;
  start(): void;
  /** Injects one of the faults of the run. */
  act(): void;
  /** To be called when a process ended by itself. */
  ended(process: Process): void;
  /** The process to ask about a shard; callers sometimes have old information. */
  ownerOf(shard: number, stale: number): Process | undefined;
  /** A new subscriber: the process from which it reads events. */
  eventPlaces(): EventPlaces;
  /** Faults have ended: brings about a state in which the first process can be asked everything. */
  heal(): Promise<void>;
}

/** By numbers that do not change when processes are replaced. */
export type EventPlaces = () => ReadonlyMap<number | string, EventPlace>;

/** A process, and how it is asked for events. */
export interface EventPlace {
  readonly process: Process;
  readonly look: EventSource;
}

/** Injects one of the faults that the run allows. */
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
