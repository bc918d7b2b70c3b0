import { fromRfc3339, isUlid, limits } from "#base";
import { hasExpression, isOneExpression } from "../../cel/template.ts";
import { schemaProblems } from "../../kit/json-schema.ts";
import { noticeErrors } from "../../notify/notice.ts";
import { type Field, type Form, type StepType, stepTypeOf, stepTypes } from "../steps/index.ts";
import { bodySchema } from "./body.ts";
import { checkCondition, checkTemplate, type Scope } from "./check-expression.ts";
import { type Problem, Problems } from "./problem.ts";

type Members = Readonly<Record<string, unknown>>;

/** What this installation has. */
export interface Installed {
  hasModule(name: string): boolean;
  /** Why no run can ever perform an action; `undefined` where one can. */
  actionProblem(key: string): string | undefined;
}

const everything: Installed = { hasModule: () => true, actionProblem: () => undefined };

/** Everything that is wrong with a draft, in the order in which it is read. */
export function problemsOf(draft: Members, installed = everything): readonly Problem[] {
  const problems = new Problems();
  const seen = new Set<string>();
  const ids = idsIn(draft.steps);
  for (const name of Object.keys(draft))
    if (!bodyFields.has(name))
      problems.add(name, `is no field of a workflow: there are ${listed(bodyFields)}`);
  const { schema, input, timeout_seconds: timeout, output } = draft;
  if (schema !== undefined && schema !== bodySchema) problems.add("schema", `must be ${bodySchema}`);
  if (input !== undefined)
    for (const { path, reason } of schemaProblems(input, "input")) problems.add(path, reason);
  checkSeconds(timeout, "timeout_seconds", problems);
  for (const { field, reason, ...place } of noticeErrors(draft))
    if (place.line === undefined) problems.add(field, reason);
    else problems.add(field, reason, "EXPRESSION", place as Required<typeof place>);
  const scope: Scope = { ids, certain: new Set(), possible: new Set(), guarded: new Set() };
  const steps = draft.steps;
  if (!Array.isArray(steps) || steps.length === 0) problems.add("steps", "must have at least one step");
  else if (ids.count > limits.workflowStepsMax)
    problems.add("steps", `has ${ids.count} steps, more than ${limits.workflowStepsMax}`);
  else checkSteps(steps, "steps", scope, 1, { problems, seen, installed });
  if (output !== undefined) checkTemplate(output, "output", scope, problems);
  return problems.list;
}

const bodyFields = new Set([
  "schema",
  "input",
  "steps",
  "channels",
  "preference",
  "ttl_seconds",
  "timeout_seconds",
  "output",
]);
const commonFields = new Set(["id", "type", "when", "retry", "timeout_seconds", "on_error", "select"]);
const retryFields: Readonly<Record<string, { least: number; most: number }>> = {
  max_attempts: { least: 1, most: limits.workflowAttemptsMax },
  initial_ms: { least: 1, most: limits.workflowBackoffMsMax },
  max_ms: { least: 1, most: limits.workflowBackoffMsMax },
};

interface Found {
  readonly problems: Problems;
  readonly seen: Set<string>;
  readonly installed: Installed;
  /** The step whose field is looked at. */
  readonly step?: Members;
}

/** In order: a step sees those before it. `scope` has them all when it returns. */
function checkSteps(
  steps: readonly unknown[],
  path: string,
  scope: Scope,
  depth: number,
  found: Found,
): void {
  for (const [index, step] of steps.entries()) {
    const at = `${path}[${index}]`;
    if (!isObject(step)) found.problems.add(at, "must be a step: an object with id and type");
    else checkStep(step, at, scope, depth, found);
  }
}

function checkStep(step: Members, path: string, scope: Scope, depth: number, found: Found): void {
  const { problems, seen } = found;
  const { id, type } = step;
  if (typeof id !== "string" || !/^[a-z][a-z0-9_]{0,62}$/.test(id))
    problems.add(
      `${path}.id`,
      "must be a name of lower-case letters, digits and _ with at most 63 characters",
    );
  else if (seen.has(id)) problems.add(`${path}.id`, `there is another step ${id}`);
  else seen.add(id);
  const kind = typeof type === "string" ? stepTypeOf(type) : undefined;
  if (!kind) problems.add(`${path}.type`, `must be one of ${Object.keys(stepTypes).join(", ")}`);
  else if (kind.module !== undefined && !found.installed.hasModule(kind.module))
    problems.add(`${path}.type`, `needs the module ${kind.module}, which is not there`, "MODULE_ABSENT");
  const guarded = checkCommon(step, path, scope, problems);
  if (kind) checkFields(step, kind, path, { ...scope, guarded }, depth, found);
  if (typeof id !== "string") return;
  scope.possible.add(id);
  if (step.when === undefined && step.on_error !== "continue") scope.certain.add(id);
  else for (const inner of idsIn([step]).all) scope.certain.delete(inner);
}

/** The steps whose output `when` makes sure of. */
function checkCommon(step: Members, path: string, scope: Scope, problems: Problems): ReadonlySet<string> {
  const { when, retry, timeout_seconds: timeout, on_error: onError, select } = step;
  const guarded = when === undefined ? scope.guarded : checkCondition(when, `${path}.when`, scope, problems);
  checkSeconds(timeout, `${path}.timeout_seconds`, problems);
  if (onError !== undefined && onError !== "fail" && onError !== "continue")
    problems.add(`${path}.on_error`, "must be fail or continue");
  if (select !== undefined)
    checkCondition(select, `${path}.select`, { ...scope, guarded }, problems, "select");
  if (retry === undefined) return guarded;
  if (!isObject(retry)) problems.add(`${path}.retry`, "must be an object");
  else
    for (const [name, given] of Object.entries(retry)) {
      const bounds = Object.hasOwn(retryFields, name) ? retryFields[name] : undefined;
      if (!bounds)
        problems.add(
          `${path}.retry.${name}`,
          `is no field: there are ${Object.keys(retryFields).join(", ")}`,
        );
      else checkNumber(given, `${path}.retry.${name}`, bounds, problems);
    }
  return guarded;
}

function checkFields(
  step: Members,
  kind: StepType,
  path: string,
  scope: Scope,
  depth: number,
  found: Found,
): void {
  const { problems } = found;
  for (const name of Object.keys(step))
    if (!commonFields.has(name) && !Object.hasOwn(kind.fields, name))
      problems.add(
        `${path}.${name}`,
        `is no field of ${step.type as string}: there are ${[...commonFields, ...Object.keys(kind.fields)].join(", ")}`,
      );
  for (const [name, field] of Object.entries(kind.fields)) {
    const given = step[name];
    if (given !== undefined) checkField(given, field, `${path}.${name}`, scope, depth, { ...found, step });
    else if (field.required) problems.add(`${path}.${name}`, "is required");
  }
  const wrong = kind.wrong?.(step);
  if (wrong !== undefined) problems.add(path, wrong);
}

function checkField(
  given: unknown,
  field: Field,
  path: string,
  scope: Scope,
  depth: number,
  found: Found,
): void {
  const { problems } = found;
  switch (field.is) {
    case "template":
      checkTemplate(given, path, scope, problems);
      return;
    case "text":
      if (typeof given !== "string" || given === "") problems.add(path, "must be a text");
      else if (checkTemplate(given, path, scope, problems)) checkForm(given, field.form, path, found);
      return;
    case "object":
      if (typeof given === "string") checkOne(given, path, "an object", scope, problems);
      else if (!isObject(given)) problems.add(path, "must be an object or one expression");
      else if (checkTemplate(given, path, scope, problems)) checkMembers(given, field, path, found);
      return;
    case "number":
      if (typeof given === "string") checkOne(given, path, "a whole number", scope, problems);
      else checkNumber(given, path, { least: field.least ?? 0, most: field.most ?? Infinity }, problems);
      return;
    case "flag":
      if (typeof given !== "boolean") problems.add(path, "must be true or false");
      return;
    case "choice":
      if (!field.choices!.includes(given as string))
        problems.add(path, `must be one of ${field.choices!.join(", ")}`);
      return;
    case "list":
      if (typeof given === "string") checkOne(given, path, "a list", scope, problems);
      else if (!isListOf(given, field.choices!))
        problems.add(path, `must be a list of ${listed(field.choices!)}, each at most once`);
      return;
    case "cases":
      checkCases(given, path, scope, depth, found);
      return;
    case "steps":
      checkElse(given, path, scope, depth, found);
      return;
    case "branches":
      checkBranches(given, path, scope, depth, found);
      return;
  }
}

/** A text in the place of another type: one expression becomes what it is, any other text stays a text. */
function checkOne(given: string, path: string, type: string, scope: Scope, problems: Problems): void {
  if (checkTemplate(given, path, scope, problems) && !isOneExpression(given))
    problems.add(path, `must be ${type} or one expression`);
}

/** Of an object whose members are known; what one expression becomes is seen when it is called. */
function checkMembers(
  given: Members,
  { names, exactlyOne = [], forms = {} }: Field,
  path: string,
  found: Found,
): void {
  if (!names) return;
  const { problems } = found;
  for (const name of Object.keys(given))
    if (!names.includes(name)) problems.add(`${path}.${name}`, `is no field: there are ${listed(names)}`);
  if (exactlyOne.filter((name) => given[name] !== undefined).length !== 1)
    problems.add(path, `must have exactly one of ${listed(exactlyOne)}`);
  for (const [name, form] of Object.entries(forms))
    if (typeof given[name] === "string") checkForm(given[name], form, `${path}.${name}`, found);
}

/** Of a text that says itself what it is: what an expression becomes is seen when the step runs. */
function checkForm(
  given: string,
  form: Form | undefined,
  path: string,
  { problems, installed }: Found,
): void {
  if (form === undefined || hasExpression(given)) return;
  const reason = form === "action" ? installed.actionProblem(given) : wrongForm[form](given);
  if (reason !== undefined) problems.add(path, reason);
}

const wrongForm: Readonly<Record<Exclude<Form, "action">, (given: string) => string | undefined>> = {
  id: (given) => (isUlid(given) ? undefined : "must be an id (26 characters) or an expression"),
  time: (given) =>
    Number.isNaN(fromRfc3339(given))
      ? "must be a time like 2030-01-31T09:00:00Z, or an expression"
      : undefined,
};

function isListOf(given: unknown, choices: readonly string[]): boolean {
  if (!Array.isArray(given) || given.length === 0 || new Set(given).size < given.length) return false;
  return given.every((one) => choices.includes(one as string));
}

function checkCases(given: unknown, path: string, scope: Scope, depth: number, found: Found): void {
  const { problems } = found;
  if (!Array.isArray(given) || given.length === 0) {
    problems.add(path, "must have at least one case: {when, steps}");
    return;
  }
  // Of other cases nothing has run: each sees what came before the branch.
  const before = new Set(scope.possible);
  for (const [index, one] of given.entries()) {
    const at = `${path}[${index}]`;
    if (!isObject(one)) {
      problems.add(at, "must be an object with when and steps");
      continue;
    }
    for (const name of Object.keys(one))
      if (name !== "when" && name !== "steps")
        problems.add(`${at}.${name}`, "is no field: there are when, steps");
    const inside: Scope = { ...scope, possible: new Set(before) };
    const guarded = checkCondition(one.when, `${at}.when`, inside, problems);
    checkInner(one.steps, `${at}.steps`, { ...inside, guarded }, depth, found);
    for (const id of inside.possible) scope.possible.add(id);
  }
}

/** Where it is taken, no case was. */
function checkElse(given: unknown, path: string, scope: Scope, depth: number, found: Found): void {
  const inCases = new Set(idsIn(found.step?.cases).all);
  const possible = new Set([...scope.possible].filter((id) => !inCases.has(id)));
  checkInner(given, path, { ...scope, possible }, depth, found);
  for (const id of possible) scope.possible.add(id);
}

/** Side by side: a list may see the steps of the others, if they have run. */
function checkBranches(given: unknown, path: string, scope: Scope, depth: number, found: Found): void {
  const { problems } = found;
  if (!Array.isArray(given) || given.length === 0 || given.length > limits.workflowBranchesMax) {
    problems.add(path, `must have 1 to ${limits.workflowBranchesMax} lists of steps`);
    return;
  }
  const beside = idsIn(given).all;
  const certain: string[] = [];
  for (const [index, steps] of given.entries()) {
    const own = new Set(idsIn(steps).all);
    const possible = new Set([...scope.possible, ...beside.filter((id) => !own.has(id))]);
    certain.push(...checkInner(steps, `${path}[${index}]`, { ...scope, possible }, depth, found));
  }
  for (const id of beside) scope.possible.add(id);
  if (found.step?.until !== "any") for (const id of certain) scope.certain.add(id);
}

/** Answers with the steps that have surely succeeded when this list has. */
function checkInner(
  given: unknown,
  path: string,
  scope: Scope,
  depth: number,
  found: Found,
): ReadonlySet<string> {
  const certain = new Set(scope.certain);
  if (!Array.isArray(given) || given.length === 0) found.problems.add(path, "must have at least one step");
  else if (depth >= limits.workflowDepthMax)
    found.problems.add(path, `steps are nested more than ${limits.workflowDepthMax} deep`);
  else checkSteps(given, path, { ...scope, certain }, depth + 1, found);
  return certain;
}

function checkSeconds(given: unknown, path: string, problems: Problems): void {
  if (given !== undefined)
    checkNumber(given, path, { least: 1, most: limits.workflowTimeoutSecondsMax }, problems);
}

function checkNumber(
  given: unknown,
  path: string,
  { least, most }: { least: number; most: number },
  problems: Problems,
): void {
  if (!Number.isSafeInteger(given) || (given as number) < least || (given as number) > most)
    problems.add(path, `must be a whole number from ${least} to ${most}`);
}

/** Ids of all steps in a draft, wherever they are and whatever else is wrong; `count` has those without an id too. */
function idsIn(steps: unknown): { readonly all: readonly string[]; readonly count: number } {
  const all: string[] = [];
  let count = 0;
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) {
      for (const element of value) visit(element);
      return;
    }
    if (!isObject(value)) return;
    if (typeof value.type === "string" || typeof value.id === "string") count++;
    if (typeof value.id === "string") all.push(value.id);
    for (const name of ["cases", "steps", "else", "branches"]) visit(value[name]);
  };
  visit(steps);
  return { all, count };
}

function listed(names: Iterable<string>): string {
  return [...names].join(", ");
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
