import type { AnyActorDefinition } from "../../runtime/index.ts";
import type { Storage } from "../../storage/index.ts";
import type { MemoryStore } from "../../storage/memory/index.ts";
import type { Faults } from "./faults.ts";

/** A bug planted on purpose, from outside: the product has no switch for it. */
export interface PlantedBug {
  readonly name: string;
  /** Faults of the runs that show it, where few of those that are drawn do. */
  readonly faults?: Partial<Faults>;
  /** Breaks the runtime; returns the repair. */
  readonly plant?: () => () => void;
  /** Breaks the store as one process sees it. */
  readonly breakStorage?: (storage: Storage, store: MemoryStore) => Storage;
  /** Breaks a module. */
  readonly breakActor?: (definition: AnyActorDefinition) => AnyActorDefinition;
}
