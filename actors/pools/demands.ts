import type { Selector } from "./router.ts";
import type { Exclusion, Selectable } from "./selectable.ts";

/** The order in which the parts of one selector are looked at. */
const kinds = ["not_selected", "labels", "skills"] as const satisfies readonly Exclusion[];

/** One label or skill that several selectors name. A place is the number of the selector times three, plus that of the kind. */
interface Demand {
  readonly name: string;
  /** The place that names it first. */
  readonly firstPlace: number;
}

interface LabelDemand extends Demand {
  readonly value: string;
  /** Where another value is asked for, which no recipient has then. */
  otherPlace: number;
}

interface SkillDemand extends Demand {
  /** Each higher than the one before, with its place. */
  readonly levels: number[];
  readonly places: number[];
}

/**
 * What many selectors ask together. 200 rules may name 64 labels and 64 skills each, mostly the same: here each label and
 * skill is looked at once per recipient. Gives the same reason as looking at one selector after the other.
 */
export class Demands {
  readonly #named: { readonly ids: ReadonlySet<string>; readonly place: number }[] = [];
  readonly #labels: LabelDemand[] = [];
  readonly #skills: SkillDemand[] = [];

  constructor(selectors: readonly Selector[], setOf: (ids: readonly string[]) => ReadonlySet<string>) {
    const labels = new Map<string, LabelDemand>();
    const skills = new Map<string, SkillDemand>();
    for (const [number, selector] of selectors.entries()) {
      const place = number * kinds.length;
      if (selector.recipientIds) this.#named.push({ ids: setOf(selector.recipientIds), place });
      for (const name in selector.labels) this.#addLabel(labels, name, selector.labels[name]!, place + 1);
      for (const name in selector.skills) this.#addSkill(skills, name, selector.skills[name]!, place + 2);
    }
  }

  /** Which kind of part of the first selector that this recipient fails. */
  mismatch(recipient: Selectable): Exclusion | undefined {
    let place = Number.POSITIVE_INFINITY;
    for (const named of this.#named)
      if (!named.ids.has(recipient.id)) {
        place = named.place;
        break;
      }
    for (const { name, value, firstPlace, otherPlace } of this.#labels) {
      if (firstPlace >= place) break;
      const failed = recipient.labels[name] === value ? otherPlace : firstPlace;
      if (failed < place) place = failed;
    }
    for (const demand of this.#skills) {
      if (demand.firstPlace >= place) break;
      const level = recipient.skills[demand.name];
      const failed = firstAbove(demand, typeof level === "number" ? level : 0);
      if (failed < place) place = failed;
    }
    return place === Number.POSITIVE_INFINITY ? undefined : kinds[place % kinds.length];
  }

  #addLabel(labels: Map<string, LabelDemand>, name: string, value: string, place: number): void {
    const known = labels.get(name);
    if (known === undefined) {
      const demand = { name, value, firstPlace: place, otherPlace: Number.POSITIVE_INFINITY };
      labels.set(name, demand);
      this.#labels.push(demand);
    } else if (known.value !== value) known.otherPlace = Math.min(known.otherPlace, place);
  }

  #addSkill(skills: Map<string, SkillDemand>, name: string, level: number, place: number): void {
    // Everybody has it.
    if (level <= 0) return;
    const known = skills.get(name);
    if (known === undefined) {
      const demand = { name, firstPlace: place, levels: [level], places: [place] };
      skills.set(name, demand);
      this.#skills.push(demand);
    } else if (level > known.levels.at(-1)!) {
      known.levels.push(level);
      known.places.push(place);
    }
  }
}

/** The place of the lowest level that is above `level`. */
function firstAbove({ levels, places }: SkillDemand, level: number): number {
  if (levels.at(-1)! <= level) return Number.POSITIVE_INFINITY;
  let low = 0;
  let high = levels.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (levels[middle]! > level) high = middle;
    else low = middle + 1;
  }
  return places[low]!;
}
