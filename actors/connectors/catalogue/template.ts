import { isObject } from "#base";
import { type CelBindings, CelEnvironment } from "../../cel/environment.ts";
import { fill, TemplateError } from "../../cel/template.ts";

/** What expressions of a catalogue file see, by where they stand. */
export const environments = {
  request: new CelEnvironment({ input: "dyn", config: "dyn", now: "int" }),
  response: new CelEnvironment({ input: "dyn", config: "dyn", now: "int", response: "dyn" }),
  apply: new CelEnvironment({ config: "dyn", credential: "dyn", now: "int" }),
  event: new CelEnvironment({ event: "dyn", headers: "dyn" }),
  filter: new CelEnvironment({ event: "dyn", type: "string" }),
} as const;

export type Place = keyof typeof environments;

export interface Rendering {
  readonly place: Place;
  /** Of CEL; made when an expression first needs them. */
  readonly bindings: () => CelBindings;
  readonly values: Readonly<Record<string, unknown>>;
  /** Of the values inside a text. */
  readonly encode?: (text: string) => string;
}

export function rendering(place: Place, values: Readonly<Record<string, unknown>>): Rendering {
  let bindings: CelBindings | undefined;
  return {
    place,
    values,
    bindings() {
      bindings ??= environments[place].bind(values);
      return bindings;
    },
  };
}

/** A template of a catalogue file, filled in; a member of an object whose value is null is left out. Throws a TemplateError. */
export function render(template: unknown, at: Rendering): unknown {
  const { encode } = at;
  const evaluateAt = (source: string) => evaluate(source, at);
  return fill(template, { evaluate: evaluateAt, dropsNull: true, ...(encode && { encode }) });
}

export function evaluate(source: string, { place, bindings, values }: Rendering): unknown {
  const member = memberOf(source, values);
  if (member !== undefined) return member;
  const result = environments[place].evaluate(source, bindings());
  if ("error" in result) throw new TemplateError(`${source}: ${result.error}`);
  return result.value;
}

/** A path of members is the value itself, whole: CEL sees only so much of a large one. */
function memberOf(source: string, values: Readonly<Record<string, unknown>>): unknown {
  if (!/^[a-z]\w*(\.[A-Za-z_]\w*)*$/.test(source) || source === "now") return undefined;
  let value: unknown = values;
  for (const name of source.split(".")) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}
