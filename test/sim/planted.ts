import type { AnyActorDefinition } from "../../runtime/index.ts";
import type { Storage } from "../../storage/index.ts";
import type { MemoryStore } from "../../storage/memory/index.ts";
import type { Faults } from "./faults.ts";

/** A bug planted on purpose, from outside: the product has no switch for it. */
export interface PlantedBug {
  readonly name: string;
  /** The faults of runs that show it, if few random combinations do. */
  readonly faults?: Partial<Faults>;
  /** Breaks the runtime; returns the function that repairs it. */
  readonly plant?: () => () => void;
  /** Breaks the store as one process sees it. */
  readonly breakStorage?: (storage: Storage, store: MemoryStore) => Storage;
  /** Breaks a module. */
  readonly breakActor?: (definition: AnyActorDefinition) => AnyActorDefinition;
}

/** Runs `act` instead of a method; `original` is the method before. */
export function replace<Self extends object, Name extends keyof Self>(
  prototype: Self,
  name: Name,
  act: (original: Method<Self[Name]>, args: Parameters<Method<Self[Name]>>, self: Self) => unknown,
): () => void {
  const original = prototype[name];
  const method = original as (...args: unknown[]) => unknown;
  const replacement = function (this: Self, ...args: unknown[]) {
    const bound = (...given: unknown[]) => method.apply(this, given);
    return act(bound as Method<Self[Name]>, args as Parameters<Method<Self[Name]>>, this);
  };
  prototype[name] = replacement as Self[Name];
  return () => {
    prototype[name] = original;
  };
}

type Method<T> = T extends (...args: infer Arguments) => infer Result
  ? (...args: Arguments) => Result
  : never;
