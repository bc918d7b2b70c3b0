import { type FieldError, isObject, limits, shortened } from "#base";
import { patternSteps } from "../cel/cost.ts";
import { badPattern, CelEnvironment } from "../cel/environment.ts";
import { codePointCount } from "../cel/text.ts";

/**
 * JSON Schema (2020-12) as tenants may write it: the keywords below and no others, so that a schema means what it says. It is
 * interpreted, never compiled to code; patterns are RE2; there are no references.
 */
export type JsonSchema = boolean | Readonly<Record<string, unknown>>;

interface Place {
  readonly path: string;
  readonly reason: string;
}

/** What is wrong with a schema; none: `schemaErrors` can be asked. */
export function schemaProblems(schema: unknown, path = ""): readonly Place[] {
  const problems: Place[] = [];
  const isWithin = withinBudget(() => checkSchema(schema, path, 1, problems));
  return isWithin ? problems : [...problems, { path, reason: `is too large to check: ${tooManySteps}` }];
}

/** Where a value breaks the schema: the first `limits.schemaErrorsMax`. */
export function schemaErrors(schema: JsonSchema, value: unknown, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const isWithin = withinBudget(() => validate(schema, value, path, errors));
  // What was found before is true as well, but not all of it.
  if (!isWithin) return [{ field: path, reason: `cannot be checked against its schema: ${tooManySteps}` }];
  return errors.slice(0, limits.schemaErrorsMax);
}

/**
 * Steps that are left for the check under way; a step stands for about a quarter of a microsecond, as in CEL. Work is charged
 * before it is done. One count serves a thread: a check is synchronous.
 */
let stepsLeft = 0;
const overBudget = new Error("the budget of a schema check is spent");
const tooManySteps = `it takes more than ${limits.schemaStepsMax} steps; send less, or make the schema simpler`;

function withinBudget(check: () => void): boolean {
  stepsLeft = limits.schemaStepsMax;
  try {
    check();
    return true;
  } catch (thrown) {
    if (thrown !== overBudget) throw thrown;
    return false;
  }
}

function charge(steps: number): void {
  stepsLeft -= steps;
  if (stepsLeft < 0) throw overBudget;
}

/** To look at a value or a schema, with its keywords; to compare or convert so many characters. */
const nodeSteps = 4;
const charactersPerStep = 16;
/** To sort a member into its place. */
const memberSteps = 3;

type Check = (given: unknown) => string | undefined;

const typeNames = ["null", "boolean", "object", "array", "number", "integer", "string"];
const isCount: Check = (given) =>
  Number.isSafeInteger(given) && (given as number) >= 0 ? undefined : "must be a whole number, 0 or more";
const isNumber: Check = (given) => (typeof given === "number" ? undefined : "must be a number");
const isText: Check = (given) => (typeof given === "string" ? undefined : "must be a text");
const isFlag: Check = (given) => (typeof given === "boolean" ? undefined : "must be true or false");
const isList: Check = (given) => (Array.isArray(given) ? undefined : "must be a list");
const anything: Check = () => undefined;

/** By keyword: what its value must be. Those with schemas inside are looked into by `checkSchema`. */
const keywords: Readonly<Record<string, Check>> = {
  $schema: isText,
  title: isText,
  description: isText,
  default: anything,
  examples: isList,
  type: (given) => {
    const named: readonly unknown[] = Array.isArray(given) ? given : [given];
    const known = typeNames.filter((name) => named.includes(name));
    return named.length > 0 && named.length === known.length
      ? undefined
      : `must be one of ${typeNames.join(", ")}, or a list of them without one twice`;
  },
  enum: isList,
  const: anything,
  properties: isSchemas,
  required: (given) =>
    Array.isArray(given) && given.every((name) => typeof name === "string")
      ? undefined
      : "must be a list of names",
  additionalProperties: anything,
  minProperties: isCount,
  maxProperties: isCount,
  items: anything,
  minItems: isCount,
  maxItems: isCount,
  uniqueItems: isFlag,
  minLength: isCount,
  maxLength: isCount,
  pattern: (given) => isText(given) ?? badPattern(given as string),
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  multipleOf: (given) => (typeof given === "number" && given > 0 ? undefined : "must be a number above 0"),
  anyOf: isList,
  allOf: isList,
  oneOf: isList,
  not: anything,
};

function checkSchema(schema: unknown, path: string, depth: number, problems: Place[]): void {
  charge(nodeSteps);
  if (typeof schema === "boolean" || problems.length >= limits.workflowProblemsMax) return;
  if (!isObject(schema)) {
    problems.push({ path, reason: "must be a schema: an object, true or false" });
    return;
  }
  if (depth > limits.schemaDepthMax) {
    problems.push({ path, reason: `is nested more than ${limits.schemaDepthMax} deep` });
    return;
  }
  for (const [keyword, given] of Object.entries(schema)) {
    charge(nodeSteps);
    if (keyword === "pattern" && typeof given === "string") charge(patternSteps(0, given));
    const check = Object.hasOwn(keywords, keyword) ? keywords[keyword] : undefined;
    const reason = check ? check(given) : "is no keyword that is supported";
    if (reason !== undefined) problems.push({ path: `${path}.${keyword}`, reason });
    else
      for (const [at, inner] of innerOf(keyword, given)) checkSchema(inner, path + at, depth + 1, problems);
  }
}

/** Schemas inside a schema, with where they are. */
function innerOf(keyword: string, given: unknown): [string, unknown][] {
  switch (keyword) {
    case "properties":
      return Object.entries(given as object).map(([name, inner]) => [`.properties.${name}`, inner]);
    case "additionalProperties":
    case "items":
    case "not":
      return [[`.${keyword}`, given]];
    case "anyOf":
    case "allOf":
    case "oneOf":
      return (given as unknown[]).map((inner, index) => [`.${keyword}[${index}]`, inner]);
    default:
      return [];
  }
}

function validate(schema: JsonSchema, value: unknown, path: string, errors: FieldError[]): void {
  charge(nodeSteps);
  if (errors.length >= limits.schemaErrorsMax || schema === true) return;
  const wrong = (reason: string, field = path) => errors.push({ field, reason });
  if (schema === false) {
    wrong("is not allowed");
    return;
  }
  const types = namedTypes(schema.type);
  charge(types.length);
  if (types.length > 0 && !types.some((name) => isOfType(value, name))) {
    wrong(`must be of type ${shortened(types.join(" or "), limits.schemaToldLengthMax)}`);
    return;
  }
  if ("const" in schema || schema.enum) {
    const text = canonical(value, charge);
    const { only, among, told } = chosenOf(schema);
    if (only !== undefined && only !== text) wrong(`must be ${shortened(only, limits.schemaToldLengthMax)}`);
    if (among !== undefined && !among.has(text)) wrong(`must be one of ${told}`);
  }
  if (typeof value === "string") validateText(schema, value, wrong);
  else if (typeof value === "number") validateNumber(schema, value, wrong);
  else if (Array.isArray(value)) validateList(schema, value, path, errors, wrong);
  else if (isObject(value)) validateObject(schema, value, path, errors, wrong);
  validateChoices(schema, value, path, errors, wrong);
}

/** What `const` and `enum` name, as canonical texts. */
interface Chosen {
  readonly only: string | undefined;
  readonly among: ReadonlySet<string> | undefined;
  readonly told: string;
}

const chosen = new WeakMap<object, Chosen>();

/** Written out once for all values that a schema is asked about. */
function chosenOf(schema: Members): Chosen {
  const known = chosen.get(schema);
  if (known !== undefined) return known;
  const list = (schema.enum as unknown[] | undefined)?.map((one) => canonical(one, charge));
  const made: Chosen = {
    only: "const" in schema ? canonical(schema.const, charge) : undefined,
    among: list && new Set(list),
    told: shortened(`[${list?.join(",") ?? ""}]`, limits.schemaToldLengthMax),
  };
  chosen.set(schema, made);
  return made;
}

type Wrong = (reason: string, field?: string) => void;
type Members = Readonly<Record<string, unknown>>;

function validateText(schema: Members, value: string, wrong: Wrong): void {
  const { minLength, maxLength, pattern } = schema as Record<string, number | undefined> & {
    pattern?: string;
  };
  if (minLength !== undefined || maxLength !== undefined) charge(value.length / charactersPerStep);
  const length = minLength === undefined && maxLength === undefined ? 0 : codePointCount(value);
  if (minLength !== undefined && length < minLength) wrong(`must have at least ${minLength} characters`);
  if (maxLength !== undefined && length > maxLength) wrong(`must have at most ${maxLength} characters`);
  if (pattern !== undefined) {
    const problem = misfit(value, pattern);
    if (problem !== undefined) wrong(problem);
  }
}

function validateNumber(schema: Members, value: number, wrong: Wrong): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema as Record<
    string,
    number
  >;
  if (minimum !== undefined && value < minimum) wrong(`must be at least ${minimum}`);
  if (maximum !== undefined && value > maximum) wrong(`must be at most ${maximum}`);
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) wrong(`must be above ${exclusiveMinimum}`);
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) wrong(`must be below ${exclusiveMaximum}`);
  if (multipleOf !== undefined && !Number.isInteger(value / multipleOf))
    wrong(`must be a multiple of ${multipleOf}`);
}

function validateList(
  schema: Members,
  value: readonly unknown[],
  path: string,
  errors: FieldError[],
  wrong: Wrong,
): void {
  const { minItems, maxItems, uniqueItems, items } = schema as Record<string, never>;
  if (minItems !== undefined && value.length < minItems) wrong(`must have at least ${minItems} items`);
  if (maxItems !== undefined && value.length > maxItems) wrong(`must have at most ${maxItems} items`);
  if (uniqueItems && new Set(value.map((item) => canonical(item, charge))).size < value.length)
    wrong("must not have an item twice");
  if (items === undefined) return;
  for (const [index, item] of value.entries()) validate(items, item, `${path}[${index}]`, errors);
}

function validateObject(
  schema: Members,
  value: Members,
  path: string,
  errors: FieldError[],
  wrong: Wrong,
): void {
  const { minProperties, maxProperties, required, properties, additionalProperties } = schema as {
    readonly [name: string]: unknown;
    readonly required?: readonly string[];
    readonly properties?: Readonly<Record<string, JsonSchema>>;
    readonly additionalProperties?: JsonSchema;
  };
  const names = Object.keys(value);
  charge(names.length);
  if (minProperties !== undefined && names.length < (minProperties as number))
    wrong(`must have at least ${minProperties} members`);
  if (maxProperties !== undefined && names.length > (maxProperties as number))
    wrong(`must have at most ${maxProperties} members`);
  for (const name of required ?? []) {
    charge(1 + name.length / charactersPerStep);
    if (!Object.hasOwn(value, name)) wrong("is required", `${path}.${name}`);
  }
  for (const name of names) {
    const inner = properties && Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    if (inner !== undefined) validate(inner, value[name], `${path}.${name}`, errors);
  }
}

function validateChoices(
  schema: Members,
  value: unknown,
  path: string,
  errors: FieldError[],
  wrong: Wrong,
): void {
  const { allOf, anyOf, oneOf, not } = schema as Record<string, readonly JsonSchema[]>;
  const holds = (inner: JsonSchema) => {
    const found: FieldError[] = [];
    validate(inner, value, path, found);
    return found.length === 0;
  };
  for (const inner of allOf ?? []) validate(inner, value, path, errors);
  if (anyOf && !anyOf.some(holds)) wrong("fits none of anyOf");
  if (oneOf) {
    const count = oneOf.filter(holds).length;
    if (count !== 1) wrong(`fits ${count} of oneOf, and must fit one`);
  }
  if (not !== undefined && holds(not as unknown as JsonSchema)) wrong("is what `not` excludes");
}

const patterns = new CelEnvironment({ text: "string", pattern: "string" });

/** Why a text does not fit; a pattern that one expression could not look for in it is refused in words of its own. */
function misfit(text: string, pattern: string): string | undefined {
  charge(patternSteps(text.length, pattern));
  const result = patterns.evaluate("text.matches(pattern)", patterns.bind({ text, pattern }));
  if ("error" in result)
    return `is too long to look for ${shortened(pattern, limits.schemaToldLengthMax)} in it`;
  return result.value === true ? undefined : `must match ${pattern}`;
}

const noTypes: readonly unknown[] = [];

/** What `type` names; a schema that was stored earlier may name one many times. */
function namedTypes(type: unknown): readonly unknown[] {
  if (type === undefined) return noTypes;
  return Array.isArray(type) ? type : [type];
}

function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function isSchemas(given: unknown): string | undefined {
  return isObject(given) ? undefined : "must be an object of schemas";
}

/** RFC 8785: members in order of their names, so that equal values have one text. */
export function canonical(value: unknown, spend: (steps: number) => void = () => undefined): string {
  spend(1);
  const text = written(value, spend);
  // Names too, and once more at every level around it: a text is copied into that of its list or object.
  spend(text.length / charactersPerStep);
  return text;
}

function written(value: unknown, spend: (steps: number) => void): string {
  if (Array.isArray(value)) return `[${value.map((element) => canonical(element, spend)).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value ?? null);
  const names = Object.keys(value);
  spend(memberSteps * names.length);
  const members = names
    .filter((name) => value[name] !== undefined)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name], spend)}`);
  return `{${members.join(",")}}`;
}
