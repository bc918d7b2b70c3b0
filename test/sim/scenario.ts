import type { Random, TuplePart } from "#base";
import type { Address, AnyActorDefinition, Ask, EffectHandlers } from "../../runtime/index.ts";
import type { Faults } from "./faults.ts";
import type { Process } from "./process.ts";
import type { Scheduler } from "./scheduler.ts";
import type { EventPlaces } from "./topology.ts";
import type { DurableEntry } from "./watch.ts";

/** What runs in the simulated cluster: entities, callers that record their answers, and the final comparison. */
export interface Scenario {
  /** The entities of one process; `report` is for states that must never be seen inside of one. */
  actors(report: (claim: string) => void): readonly AnyActorDefinition[];
  /** What runs the effects of one process. */
  effects?(process: () => Process): EffectHandlers;
  /** Number of changes that were acknowledged to callers. */
  readonly acknowledged: number;
  /** To be called when a broadcast reaches a process. */
  heard?(process: Process, topic: string, payload: unknown): void;
  /** Callers begin; faults happen. */
  start(): void;
  /** Callers send nothing more. */
  stop(): void;
  /** Questions of callers that living processes have not answered. */
  unanswered(): readonly string[];
  /** Faults have ended and one process owns everything: compares the final state with the answers that callers got. */
  reckon(): Promise<void>;
}

/** A collection of an entity (kind, tenant, key, collection), or of a shard, and the keys of its rows. */
export interface StoredPartition {
  readonly shard: number;
  readonly partition: readonly TuplePart[];
  readonly keys: readonly (readonly TuplePart[])[];
}

/** What a scenario sees of the cluster it runs in. */
export interface Stage {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly faults: Faults;
  readonly processes: readonly Process[];
  /** Including earlier ones. */
  readonly everyProcess: readonly Process[];
  readonly violated: boolean;
  /** The first violation ends the run. */
  violate(claim: string): void;
  /** The process that should own the entity; callers sometimes have old information. */
  ownerOf(to: Address, stale: number): Process | undefined;
  /** A new subscriber: the process from which it reads events. */
  eventPlaces(): EventPlaces;
  /** Lets virtual time pass until `done` returns true. */
  pass(ms: number, done?: () => boolean): Promise<void>;
  /** Everything that became durable, shard by shard and in order, deleted or not. */
  durable(): Iterable<DurableEntry>;
  /** The rows in the tables. */
  stored(): Iterable<StoredPartition>;
  /** At the end: the response; a refusal or a missing answer is a violation. */
  demand(ask: Pick<Ask, "to" | "method" | "request" | "idempotency">): Promise<unknown>;
}
