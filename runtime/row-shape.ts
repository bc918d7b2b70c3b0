/** What the values of a collection look like: their version is one more than the number of its steps. */
export interface RowShape {
  readonly collection: string;
  /** The first leads from version 1 to version 2. */
  readonly steps: readonly ShapeStep[];
}

/** A change of what the values of a collection look like. */
export interface ShapeStep {
  /**
   * Of a store that several nodes share (docs/adr/0115): rows are written in the shape before until all nodes know this
   * format.
   */
  readonly format: number;
  /** Makes a value of the version before one of this version. */
  up(value: unknown): unknown;
  /** The reverse. */
  down(value: unknown): unknown;
}

/** In use where a process is alone with its store. */
export const anyFormat: number = Number.POSITIVE_INFINITY;

/**
 * Of the runtime's own collections. A change of what one of them stores gets a step here, for the reader of the new
 * shape; docs/storage.md says how.
 */
const ownSteps: Readonly<Record<string, readonly ShapeStep[]>> = {};
const none: readonly ShapeStep[] = [];

export function ownShape(collection: string): RowShape {
  return { collection, steps: ownSteps[collection] ?? none };
}

/** What a definition declares; actor.ts has the whole. */
interface Declared {
  readonly kind: string;
  readonly shapeSteps?: Readonly<Record<string, Readonly<Record<number, ShapeStep>>>>;
}

/** A module's collections have the steps that its definition declares. */
export function shapeOf(definition: Declared, collection: string): RowShape {
  if (collection.startsWith("~")) return ownShape(collection);
  const declared = definition.shapeSteps?.[collection];
  if (declared === undefined) return { collection, steps: none };
  let steps = known.get(declared);
  if (steps === undefined) {
    steps = inOrder(declared, `${definition.kind}.${collection}`);
    known.set(declared, steps);
  }
  return { collection, steps };
}

const known = new WeakMap<object, readonly ShapeStep[]>();

function inOrder(declared: Readonly<Record<number, ShapeStep>>, name: string): readonly ShapeStep[] {
  const versions = Object.keys(declared).map(Number);
  return versions.map((_, index) => {
    const step = declared[index + 1];
    if (step === undefined)
      throw new Error(`${name} has steps from the versions ${versions}, and none from ${index + 1}`);
    return step;
  });
}

export function versionOf({ steps }: RowShape): number {
  return steps.length + 1;
}

/** The version in which rows are written while this format is in use. */
export function writtenVersion({ steps }: RowShape, format: number): number {
  let version = steps.length + 1;
  while (version > 1 && steps[version - 2]!.format > format) version--;
  return version;
}

/** A value as the version that it was stored with has it, in today's shape. */
export function upcast(value: unknown, version: number, { steps }: RowShape): unknown {
  let result = value;
  for (let from = version; from <= steps.length; from++) result = steps[from - 1]!.up(result);
  return result;
}

/** A value in today's shape, as this version has it. */
export function downcast(value: unknown, version: number, { steps }: RowShape): unknown {
  let result = value;
  for (let to = steps.length; to >= version; to--) result = steps[to - 1]!.down(result);
  return result;
}
