import type { Selector } from "./router.ts";
import type { Selectable } from "./selectable.ts";

type Condition =
  | { readonly type: "named"; readonly ids: ReadonlySet<string> }
  | { readonly type: "label"; readonly name: string; readonly value: string }
  | { readonly type: "skill"; readonly name: string; readonly level: number };

/**
 * Narrows recipients to many preferences, one after the other. 200 rules may prefer 64 labels and 64 skills each: what all
 * that are left are known to have is not looked at again, and the condition that failed last is looked at first.
 */
export class Preferences {
  readonly #labels = new Map<string, string>();
  readonly #skills = new Map<string, number>();
  readonly #setOf: (ids: readonly string[]) => ReadonlySet<string>;

  constructor(setOf: (ids: readonly string[]) => ReadonlySet<string>) {
    this.#setOf = setOf;
  }

  /** Those that fit `selector`; all of them where none does. */
  narrow<T extends Selectable>(left: readonly T[], selector: Selector): readonly T[] {
    const conditions = this.#unknownOf(selector);
    if (conditions === undefined || conditions.length === 0) return left;
    const closer = left.filter((recipient) => fits(recipient, conditions));
    if (closer.length === 0) return left;
    for (const condition of conditions)
      if (condition.type === "label") this.#labels.set(condition.name, condition.value);
      else if (condition.type === "skill") this.#skills.set(condition.name, condition.level);
    return closer;
  }

  /** What is not known to hold; undefined: no recipient that is left fits. */
  #unknownOf({ recipientIds, labels, skills }: Selector): Condition[] | undefined {
    const conditions: Condition[] = [];
    if (recipientIds) conditions.push({ type: "named", ids: this.#setOf(recipientIds) });
    for (const name in labels) {
      const value = labels[name]!;
      const known = this.#labels.get(name);
      if (known === undefined) conditions.push({ type: "label", name, value });
      else if (known !== value) return undefined;
    }
    for (const name in skills) {
      const level = skills[name]!;
      if (level > (this.#skills.get(name) ?? 0)) conditions.push({ type: "skill", name, level });
    }
    return conditions;
  }
}

function fits(recipient: Selectable, conditions: Condition[]): boolean {
  for (let number = 0; number < conditions.length; number++) {
    const condition = conditions[number]!;
    if (holds(recipient, condition)) continue;
    conditions[number] = conditions[0]!;
    conditions[0] = condition;
    return false;
  }
  return true;
}

function holds(recipient: Selectable, condition: Condition): boolean {
  switch (condition.type) {
    case "named":
      return condition.ids.has(recipient.id);
    case "label":
      return recipient.labels[condition.name] === condition.value;
    case "skill": {
      const level = recipient.skills[condition.name];
      return typeof level === "number" && level >= condition.level;
    }
  }
}
