import type { Random, TuplePart } from "#base";
import type { Address, AnyActorDefinition, Ask, EffectHandlers } from "../../runtime/index.ts";
import type { Faults } from "./faults.ts";
import type { Process } from "./process.ts";
import type { Scheduler } from "./scheduler.ts";
import type { EventPlaces } from "./topology.ts";
import type { DurableEntry } from "./watch.ts";

/** What is played in the simulated cluster: entities, callers that remember what they were told, and the reckoning. */
export interface Scenario {
  /** The entities as one process runs them; `report` is for what may never be seen inside of one. */
  actors(report: (claim: string) => void): readonly AnyActorDefinition[];
  /** What runs the effects of one process. */
  effects?(process: () => Process): EffectHandlers;
  /** Changes that callers were told have happened. */
  readonly acknowledged: number;
  /** A broadcast has reached a process. */
  heard?(process: Process, topic: string, payload: unknown): void;
  /** Callers begin; faults happen. */
  start(): void;
  /** Callers want nothing more. */
  stop(): void;
  /** Questions of callers that processes which live have not answered. */
  unanswered(): readonly string[];
  /** Faults are over and one process owns everything: what is there is held against what callers were told. */
  reckon(): Promise<void>;
}

/** A collection of an entity (kind, tenant, key, collection), or of a shard, and the keys of its rows. */
export interface StoredPartition {
  readonly shard: number;
  readonly partition: readonly TuplePart[];
  readonly keys: readonly (readonly TuplePart[])[];
}

/** What a scenario sees of the cluster it is played in. */
export interface Stage {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly faults: Faults;
  readonly processes: readonly Process[];
  /** Those of before too. */
  readonly everyProcess: readonly Process[];
  readonly violated: boolean;
  /** The first violation ends the run. */
  violate(claim: string): void;
  /** Who should own the entity; callers are now and then behind the times. */
  ownerOf(to: Address, stale: number): Process | undefined;
  /** A subscriber comes: where it looks for events from then on. */
  eventPlaces(): EventPlaces;
  /** Lets virtual time pass, until `done` says so. */
  pass(ms: number, done?: () => boolean): Promise<void>;
  /** Everything that became durable, shard by shard and in order, forgotten or not. */
  durable(): Iterable<DurableEntry>;
  /** What the tables have. */
  stored(): Iterable<StoredPartition>;
  /** At the reckoning: the response; a refusal or silence is a violation. */
  demand(ask: Pick<Ask, "to" | "method" | "request" | "idempotency">): Promise<unknown>;
}
