import { limits } from "#base";

/** What a stream's pointers have in common is one branch: a member is looked up once, however many of them go through it. */
interface Branch {
  isEnd: boolean;
  /** For every element of a list and every member of an object. */
  every?: Branch;
  readonly named: Map<string, Branch>;
}

const mark = "[redacted]";
/** To write a list or an object anew, beside its members. */
const containerSteps = 4;

/** Replaces what the pointers name by "[redacted]", in one pass for all of them; what was given stays as it is. */
export class Redaction {
  readonly #root = branch();
  /** For all records of one append. To write an element is a step, a named member two; each branch that it may be on is another. */
  #stepsLeft: number = limits.streamRedactionStepsMax;

  readonly pointers: readonly string[];

  constructor(pointers: readonly string[]) {
    this.pointers = pointers;
    for (const pointer of pointers) {
      let at = this.#root;
      for (const part of pointer.split("/").slice(1)) at = below(at, part);
      at.isEnd = true;
    }
  }

  /** What was written since then is not what was asked for, and must not be stored. */
  get isSpent(): boolean {
    return this.#stepsLeft < 0;
  }

  of(payload: unknown): unknown {
    return this.pointers.length === 0 ? payload : this.#replaced(payload, [this.#root]);
  }

  /** Bytes (base64) that are JSON, written anew; undefined: they are no JSON. */
  ofBytes(bytes: string): string | undefined {
    try {
      // A duplicate key hides its first value from the pointers, and does not survive being written anew.
      const value: unknown = JSON.parse(utf8.decode(Buffer.from(bytes, "base64")));
      return Buffer.from(JSON.stringify(this.of(value))).toString("base64");
    } catch {
      return undefined;
    }
  }

  #replaced(value: unknown, branches: readonly Branch[]): unknown {
    if (branches.some(({ isEnd }) => isEnd)) return mark;
    if (typeof value !== "object" || value === null || branches.length === 0) return value;
    if (Array.isArray(value)) {
      if (!this.#affords(value.length * (1 + branches.length))) return mark;
      return value.map((element, index) => this.#replaced(element, through(branches, String(index))));
    }
    const members = Object.entries(value);
    if (!this.#affords(members.length * (2 + branches.length))) return mark;
    return Object.fromEntries(
      members.map(([name, member]) => [name, this.#replaced(member, through(branches, name))]),
    );
  }

  #affords(memberSteps: number): boolean {
    this.#stepsLeft -= containerSteps + memberSteps;
    return !this.isSpent;
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function through(branches: readonly Branch[], key: string): readonly Branch[] {
  const found: Branch[] = [];
  for (const { every, named } of branches) {
    const one = named.get(key);
    if (one) found.push(one);
    if (every) found.push(every);
  }
  return found;
}

function branch(): Branch {
  return { isEnd: false, named: new Map() };
}

function below(at: Branch, part: string): Branch {
  if (part === "*") {
    at.every ??= branch();
    return at.every;
  }
  const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
  const known = at.named.get(name);
  if (known) return known;
  const made = branch();
  at.named.set(name, made);
  return made;
}
