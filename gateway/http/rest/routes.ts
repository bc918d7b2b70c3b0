import { nearest } from "#base";
import {
  type ContractMethod,
  type FieldPlan,
  type Print,
  planOf,
  printerOf,
  type RestBinding,
} from "../../contract/index.ts";

export interface Route {
  readonly method: ContractMethod;
  readonly binding: RestBinding;
  /** The path variables in order of appearance; a plan is missing where the message has no such field. */
  readonly variables: readonly { readonly name: string; readonly plan: FieldPlan | undefined }[];
  /** How an answer that is nothing but its message is printed. */
  readonly print: Print | undefined;
  /** The answer carries the version of its record, with which its ETag begins. */
  readonly versioned: boolean;
}

export type RouteMatch =
  | { readonly type: "found"; readonly route: Route; readonly values: readonly string[] }
  /** The path exists, with other verbs. */
  | { readonly type: "other_verb"; readonly allow: readonly string[] }
  | { readonly type: "none" };

interface Node {
  readonly literals: Map<string, Node>;
  variable: Node | undefined;
  /** By custom verb ("" where there is none), then by HTTP verb. */
  readonly ends: Map<string, Map<string, Route>>;
}

/** All REST paths of one plane. Literal segments beat variables; a custom verb is what follows the last colon. */
export class RouteTable {
  readonly #root: Node = newNode();

  constructor(methods: Iterable<ContractMethod>) {
    for (const method of methods) for (const binding of method.rest) this.#add(method, binding);
  }

  match(verb: string, segments: readonly string[]): RouteMatch {
    const values: string[] = [];
    const ends = find(this.#root, segments, 0, values);
    if (ends === undefined) return none;
    const route = ends.get(verb) ?? (verb === "HEAD" ? ends.get("GET") : undefined);
    if (route === undefined) return { type: "other_verb", allow: allowed(ends) };
    return { type: "found", route, values };
  }

  /** The path that was probably meant where there is none: one literal of it, or its custom verb, is another. */
  nearest(segments: readonly string[]): string | undefined {
    const path = corrected(this.#root, segments, 0);
    return path && `/${path.join("/")}`;
  }

  #add(method: ContractMethod, binding: RestBinding): void {
    const { segments, verb } = parseTemplate(binding.template);
    const variables: Route["variables"][number][] = [];
    let node = this.#root;
    for (const segment of segments) {
      if (segment.startsWith("{")) {
        const name = segment.slice(1, -1);
        variables.push({ name, plan: planOf(method.descriptor.input).byName.get(name) });
        node.variable ??= newNode();
        node = node.variable;
      } else {
        let next = node.literals.get(segment);
        if (next === undefined) {
          next = newNode();
          node.literals.set(segment, next);
        }
        node = next;
      }
    }
    const ends = node.ends.get(verb) ?? new Map<string, Route>();
    node.ends.set(verb, ends);
    if (ends.has(binding.verb)) throw new Error(`two methods bind ${binding.verb} ${binding.template}`);
    const versioned = method.descriptor.output.fields.some(({ name }) => name === "record_version");
    ends.set(binding.verb, { method, binding, variables, print: printOf(method, binding), versioned });
  }
}

const none: RouteMatch = { type: "none" };

/** Absent where the answer is more than its message in an envelope. */
function printOf({ descriptor, ...method }: ContractMethod, binding: RestBinding): Print | undefined {
  const plain =
    method.envelope === "data" &&
    method.pagination === undefined &&
    binding.responseBody === undefined &&
    descriptor.output.typeName !== "google.api.HttpBody";
  return plain ? printerOf(descriptor.output) : undefined;
}

function newNode(): Node {
  return { literals: new Map(), variable: undefined, ends: new Map() };
}

function parseTemplate(template: string): { segments: readonly string[]; verb: string } {
  const bare = template.slice(1).replaceAll("=*}", "}");
  const colon = bare.lastIndexOf(":");
  const hasVerb = colon > bare.lastIndexOf("/") && colon > bare.lastIndexOf("}");
  const segments = (hasVerb ? bare.slice(0, colon) : bare).split("/");
  for (const segment of segments) {
    if (segment.includes("*") || (segment.includes("{") && !/^\{[a-z_]+\}$/.test(segment)))
      throw new Error(`the template ${template} has a segment that is not understood: ${segment}`);
  }
  return { segments, verb: hasVerb ? bare.slice(colon + 1) : "" };
}

function find(
  node: Node,
  segments: readonly string[],
  at: number,
  values: string[],
): Map<string, Route> | undefined {
  const segment = segments[at];
  if (segment === undefined) return node.ends.get("");
  if (at === segments.length - 1) {
    const colon = segment.lastIndexOf(":");
    if (colon > 0) {
      const ends = findVerb(node, segment.slice(0, colon), segment.slice(colon + 1), values);
      if (ends !== undefined) return ends;
    }
  }
  const literal = node.literals.get(segment);
  const found = literal === undefined ? undefined : find(literal, segments, at + 1, values);
  if (found !== undefined || node.variable === undefined || segment === "") return found;
  values.push(segment);
  const ends = find(node.variable, segments, at + 1, values);
  if (ends === undefined) values.pop();
  return ends;
}

/** The segments from `at` on with one of them changed, so that there is a path. */
function corrected(node: Node, segments: readonly string[], at: number): readonly string[] | undefined {
  const segment = segments[at];
  if (segment === undefined) return undefined;
  for (const next of [node.literals.get(segment), node.variable]) {
    const rest = next && corrected(next, segments, at + 1);
    if (rest !== undefined) return [segment, ...rest];
  }
  if (at === segments.length - 1) {
    const verb = nearestVerb(node, segment);
    if (verb !== undefined) return [verb];
  }
  const leading = [...node.literals].filter(([, next]) => find(next, segments, at + 1, []) !== undefined);
  const near = nearest(
    segment,
    leading.map(([literal]) => literal),
  );
  return near === undefined ? undefined : [near, ...segments.slice(at + 1)];
}

function nearestVerb({ literals, variable }: Node, segment: string): string | undefined {
  const colon = segment.lastIndexOf(":");
  const bare = segment.slice(0, colon);
  const ends = (literals.get(bare) ?? variable)?.ends.keys() ?? [];
  const verb = colon > 0 ? nearest(segment.slice(colon + 1), ends) : undefined;
  return verb && `${bare}:${verb}`;
}

/** The last segment with its custom verb taken off. */
function findVerb(
  node: Node,
  segment: string,
  verb: string,
  values: string[],
): Map<string, Route> | undefined {
  const found = node.literals.get(segment)?.ends.get(verb);
  if (found !== undefined || node.variable === undefined) return found;
  const ends = node.variable.ends.get(verb);
  if (ends !== undefined) values.push(segment);
  return ends;
}

function allowed(ends: Map<string, Route>): readonly string[] {
  const verbs = [...ends.keys()];
  if (verbs.includes("GET")) verbs.push("HEAD");
  return [...verbs, "OPTIONS"].sort();
}
