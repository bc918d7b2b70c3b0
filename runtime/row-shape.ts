import type { ActorDefinition } from "./actor.ts";

/** What the values of a collection look like: their version is one more than the number of its upcasts. */
export interface RowShape {
  readonly collection: string;
  /** The first makes a value of version 1 one of version 2. */
  readonly upcasts: readonly Upcast[];
}

type Upcast = (value: unknown) => unknown;

/**
 * Of the runtime's own collections. A change of what one of them stores gets an upcast here, for the reader of the new
 * shape; docs/storage.md says how.
 */
const ownUpcasts: Readonly<Record<string, readonly Upcast[]>> = {};
const none: readonly Upcast[] = [];

export function ownShape(collection: string): RowShape {
  return { collection, upcasts: ownUpcasts[collection] ?? none };
}

type Declared = Pick<ActorDefinition<unknown, unknown, unknown>, "kind" | "upcast">;

/** A module's collections have the upcasts that its definition declares. */
export function shapeOf(definition: Declared, collection: string): RowShape {
  if (collection.startsWith("~")) return ownShape(collection);
  const steps = definition.upcast?.[collection];
  if (steps === undefined) return { collection, upcasts: none };
  let upcasts = known.get(steps);
  if (upcasts === undefined) {
    upcasts = inOrder(steps, `${definition.kind}.${collection}`);
    known.set(steps, upcasts);
  }
  return { collection, upcasts };
}

const known = new WeakMap<object, readonly Upcast[]>();

function inOrder(steps: Readonly<Record<number, Upcast>>, name: string): readonly Upcast[] {
  const versions = Object.keys(steps).map(Number);
  return versions.map((_, index) => {
    const upcast = steps[index + 1];
    if (upcast === undefined)
      throw new Error(`${name} has upcasts from the versions ${versions}, and none from ${index + 1}`);
    return upcast;
  });
}

export function versionOf({ upcasts }: RowShape): number {
  return upcasts.length + 1;
}

/** A value as the version that it was stored with has it, in today's shape. */
export function upcast(value: unknown, version: number, { upcasts }: RowShape): unknown {
  let result = value;
  for (let from = version; from <= upcasts.length; from++) result = upcasts[from - 1]!(result);
  return result;
}
