import { limits } from "#base";

/** A place in the tree of names: one name after the other leads to the shape of all objects with these members. */
export interface ShapeNode {
  /** What came after this name the last time, and where it leads: nearly always it comes again. */
  name: string | undefined;
  next: ShapeNode | undefined;
  readonly others: Map<string, ShapeNode>;
  readonly names: readonly string[];
  /** Below zero: not defined yet. */
  shape: number;
}

const namesMax = 64;
const nameLengthMax = 64;

/** The shapes one end of a link has told the other. */
export class Shapes {
  readonly root = nodeOf([]);
  #defined = 0;
  #nodes = 0;

  get full(): boolean {
    return this.#nodes >= limits.linkShapeNamesMax;
  }

  /** Where this name leads; undefined: an object like this has no shape. */
  follow(node: ShapeNode, name: string): ShapeNode | undefined {
    let next = node.others.get(name);
    if (next === undefined) {
      if (this.full || !hasShape(node, name)) return undefined;
      next = nodeOf([...node.names, name]);
      node.others.set(name, next);
      this.#nodes++;
    }
    node.name = name;
    node.next = next;
    return next;
  }

  /** Gives the shape the next number; the reader counts as well. */
  define(node: ShapeNode): readonly string[] {
    node.shape = this.#defined++;
    return node.names;
  }
}

/** Not one whose reader would have to look at its names: `__proto__` is no member like others. */
function hasShape(node: ShapeNode, name: string): boolean {
  return node.names.length < namesMax && name.length <= nameLengthMax && name !== "__proto__";
}

function nodeOf(names: readonly string[]): ShapeNode {
  return { name: undefined, next: undefined, others: new Map(), names, shape: -1 };
}
