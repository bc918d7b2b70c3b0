import { didYouMean, fromRfc3339, isObject, isUlid, limits } from "#base";
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
  const { schema, input, steps, timeout_seconds: timeout, output } = draft;
  const ids = idsIn(steps);
  const scope: Scope = { ids, certain: new Set(), possible: new Set(), guarded: new Set() };
  const at: At = { path: "", scope, depth: 0, problems, seen: new Set(), installed, step: draft };
  for (const name of Object.keys(draft))
    if (!bodyFields.has(name))
      problems.add(name, `is no field of a workflow: there are ${listed(bodyFields)}`);
  if (schema !== undefined && schema !== bodySchema) problems.add("schema", `must be ${bodySchema}`);
  if (input !== undefined)
    for (const { path, reason } of schemaProblems(input, "input")) problems.add(path, reason);
  checkSeconds(timeout, { ...at, path: "timeout_seconds" });
  for (const { field, reason, ...place } of noticeErrors(draft))
    if (place.line === undefined) problems.add(field, reason);
    else problems.add(field, reason, "EXPRESSION", place as Required<typeof place>);
  if (!Array.isArray(steps) || steps.length === 0) problems.add("steps", "must have at least one step");
  else if (ids.count > limits.workflowStepsMax)
    problems.add("steps", `has ${ids.count} steps, more than ${limits.workflowStepsMax}`);
  else checkSteps(steps, { ...at, path: "steps", depth: 1 });
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
const retryFields: Readonly<Record<string, Bounds>> = {
  max_attempts: { least: 1, most: limits.workflowAttemptsMax },
  initial_ms: { least: 1, most: limits.workflowBackoffMsMax },
  max_ms: { least: 1, most: limits.workflowBackoffMsMax },
};

/** A place in a draft, with what may be named there and what is collected on the way. */
interface At {
  readonly path: string;
  readonly scope: Scope;
  readonly depth: number;
  readonly problems: Problems;
  /** Ids of the steps before. */
  readonly seen: Set<string>;
  readonly installed: Installed;
  /** The step whose field is looked at. */
  readonly step: Members;
}

/** `path` begins with its dot or bracket. */
function inside(at: At, path: string): At {
  return { ...at, path: at.path + path };
}

function wrong({ problems, path }: At, reason: string, code?: Problem["code"]): void {
  problems.add(path, reason, code);
}

/** In order: a step sees those before it. `scope` has them all when it returns. */
function checkSteps(steps: readonly unknown[], at: At): void {
  for (const [index, step] of steps.entries()) {
    const one = inside(at, `[${index}]`);
    if (isObject(step)) checkStep(step, { ...one, step });
    else wrong(one, "must be a step: an object with id and type");
  }
}

function checkStep(step: Members, at: At): void {
  const { scope, seen, installed } = at;
  const { id, type } = step;
  if (typeof id !== "string" || !/^[a-z][a-z0-9_]{0,62}$/.test(id))
    wrong(inside(at, ".id"), "must be a name of lower-case letters, digits and _ with at most 63 characters");
  else if (seen.has(id)) wrong(inside(at, ".id"), `there is another step ${id}`);
  else seen.add(id);
  const kind = typeof type === "string" ? stepTypeOf(type) : undefined;
  if (!kind) wrong(inside(at, ".type"), oneOf(Object.keys(stepTypes), type));
  else if (kind.module !== undefined && !installed.hasModule(kind.module))
    wrong(inside(at, ".type"), `needs the module ${kind.module}, which is not there`, "MODULE_ABSENT");
  const guarded = checkCommon(step, at);
  if (kind) checkFields(kind, { ...at, scope: { ...scope, guarded } });
  if (typeof id !== "string") return;
  scope.possible.add(id);
  if (step.when === undefined && step.on_error !== "continue") scope.certain.add(id);
  else for (const inner of idsIn([step]).all) scope.certain.delete(inner);
}

/** The steps whose output `when` makes sure of. */
function checkCommon(step: Members, at: At): ReadonlySet<string> {
  const { scope, path, problems } = at;
  const { when, retry, timeout_seconds: timeout, on_error: onError, select } = step;
  const guarded = when === undefined ? scope.guarded : checkCondition(when, `${path}.when`, scope, problems);
  checkSeconds(timeout, inside(at, ".timeout_seconds"));
  if (onError !== undefined && onError !== "fail" && onError !== "continue")
    wrong(inside(at, ".on_error"), "must be fail or continue");
  if (select !== undefined)
    checkCondition(select, `${path}.select`, { ...scope, guarded }, problems, "select");
  if (retry !== undefined) checkRetry(retry, inside(at, ".retry"));
  return guarded;
}

function checkRetry(retry: unknown, at: At): void {
  if (!isObject(retry)) {
    wrong(at, "must be an object");
    return;
  }
  for (const [name, given] of Object.entries(retry)) {
    const field = inside(at, `.${name}`);
    const bounds = Object.hasOwn(retryFields, name) ? retryFields[name] : undefined;
    if (bounds) checkNumber(given, bounds, field);
    else wrong(field, `is no field: there are ${listed(Object.keys(retryFields))}`);
  }
}

function checkFields({ fields, wrong: wrongIn }: StepType, at: At): void {
  const { step } = at;
  for (const name of Object.keys(step))
    if (!commonFields.has(name) && !Object.hasOwn(fields, name)) {
      const known = [...commonFields, ...Object.keys(fields)];
      const hint = didYouMean(name, known);
      wrong(
        inside(at, `.${name}`),
        `is no field of ${step.type as string}: there are ${listed(known)}${hint}`,
      );
    }
  for (const [name, field] of Object.entries(fields)) {
    const given = step[name];
    if (given !== undefined) checkField(given, field, inside(at, `.${name}`));
    else if (field.required) wrong(inside(at, `.${name}`), "is required");
  }
  const reason = wrongIn?.(step);
  if (reason !== undefined) wrong(at, reason);
}

function oneOf(known: readonly string[], given: unknown): string {
  return `must be one of ${listed(known)}${didYouMean(given, known)}`;
}

function checkField(given: unknown, field: Field, at: At): void {
  switch (field.is) {
    case "template":
      isSound(given, at);
      return;
    case "text":
      if (typeof given !== "string" || given === "") wrong(at, "must be a text");
      else if (isSound(given, at)) checkForm(given, field.form, at);
      return;
    case "object":
      if (typeof given === "string") checkOne(given, "an object", at);
      else if (!isObject(given)) wrong(at, "must be an object or one expression");
      else if (isSound(given, at)) checkMembers(given, field, at);
      return;
    case "number":
      if (typeof given === "string") checkOne(given, "a whole number", at);
      else checkNumber(given, { least: field.least ?? 0, most: field.most ?? Infinity }, at);
      return;
    case "flag":
      if (typeof given !== "boolean") wrong(at, "must be true or false");
      return;
    case "choice":
      if (!isIn(field.choices!, given)) wrong(at, oneOf(field.choices!, given));
      return;
    case "list":
      if (typeof given === "string") checkOne(given, "a list", at);
      else if (!isListOf(given, field.choices!))
        wrong(at, `must be a list of ${listed(field.choices!)}, each at most once`);
      return;
    case "cases":
      checkCases(given, at);
      return;
    case "steps":
      checkElse(given, at);
      return;
    case "branches":
      checkBranches(given, at);
      return;
  }
}

/** Whether its expressions have no problem. */
function isSound(given: unknown, { path, scope, problems }: At): boolean {
  return checkTemplate(given, path, scope, problems);
}

/** A text in the place of another type: one expression becomes what it is, any other text stays a text. */
function checkOne(given: string, type: string, at: At): void {
  if (isSound(given, at) && !isOneExpression(given)) wrong(at, `must be ${type} or one expression`);
}

/** Of an object whose members are known; what one expression becomes is seen when it is called. */
function checkMembers(given: Members, { names, exactlyOne = [], forms = {} }: Field, at: At): void {
  if (!names) return;
  for (const name of Object.keys(given))
    if (!names.includes(name)) wrong(inside(at, `.${name}`), `is no field: there are ${listed(names)}`);
  if (exactlyOne.filter((name) => given[name] !== undefined).length !== 1)
    wrong(at, `must have exactly one of ${listed(exactlyOne)}`);
  for (const [name, form] of Object.entries(forms))
    if (typeof given[name] === "string") checkForm(given[name], form, inside(at, `.${name}`));
}

/** Of a text that says itself what it is: what an expression becomes is seen when the step runs. */
function checkForm(given: string, form: Form | undefined, at: At): void {
  if (form === undefined || hasExpression(given)) return;
  const reason = form === "action" ? at.installed.actionProblem(given) : wrongForm[form](given);
  if (reason !== undefined) wrong(at, reason);
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
  return given.every((one) => isIn(choices, one));
}

function isIn(choices: readonly unknown[], given: unknown): boolean {
  return choices.includes(given);
}

function checkCases(given: unknown, at: At): void {
  if (!Array.isArray(given) || given.length === 0) {
    wrong(at, "must have at least one case: {when, steps}");
    return;
  }
  // Of other cases nothing has run: each sees what came before the branch.
  const before = new Set(at.scope.possible);
  for (const [index, one] of given.entries()) {
    const scope: Scope = { ...at.scope, possible: new Set(before) };
    checkCase(one, { ...inside(at, `[${index}]`), scope });
    for (const id of scope.possible) at.scope.possible.add(id);
  }
}

function checkCase(given: unknown, at: At): void {
  const { path, scope, problems } = at;
  if (!isObject(given)) {
    wrong(at, "must be an object with when and steps");
    return;
  }
  for (const name of Object.keys(given))
    if (name !== "when" && name !== "steps")
      wrong(inside(at, `.${name}`), "is no field: there are when, steps");
  const guarded = checkCondition(given.when, `${path}.when`, scope, problems);
  checkInner(given.steps, inside({ ...at, scope: { ...scope, guarded } }, ".steps"));
}

/** Where it is taken, no case was. */
function checkElse(given: unknown, at: At): void {
  const { scope, step } = at;
  const inCases = new Set(idsIn(step.cases).all);
  const possible = new Set([...scope.possible].filter((id) => !inCases.has(id)));
  checkInner(given, { ...at, scope: { ...scope, possible } });
  for (const id of possible) scope.possible.add(id);
}

/** Side by side: a list may see the steps of the others, if they have run. */
function checkBranches(given: unknown, at: At): void {
  const { scope, step } = at;
  if (!Array.isArray(given) || given.length === 0 || given.length > limits.workflowBranchesMax) {
    wrong(at, `must have 1 to ${limits.workflowBranchesMax} lists of steps`);
    return;
  }
  const beside = idsIn(given).all;
  const certain: string[] = [];
  for (const [index, steps] of given.entries()) {
    const own = new Set(idsIn(steps).all);
    const possible = new Set([...scope.possible, ...beside.filter((id) => !own.has(id))]);
    certain.push(...checkInner(steps, { ...inside(at, `[${index}]`), scope: { ...scope, possible } }));
  }
  for (const id of beside) scope.possible.add(id);
  if (step.until !== "any") for (const id of certain) scope.certain.add(id);
}

/** Answers with the steps that have surely succeeded when this list has. */
function checkInner(given: unknown, at: At): ReadonlySet<string> {
  const certain = new Set(at.scope.certain);
  if (!Array.isArray(given) || given.length === 0) wrong(at, "must have at least one step");
  else if (at.depth >= limits.workflowDepthMax)
    wrong(at, `steps are nested more than ${limits.workflowDepthMax} deep`);
  else checkSteps(given, { ...at, scope: { ...at.scope, certain }, depth: at.depth + 1 });
  return certain;
}

function checkSeconds(given: unknown, at: At): void {
  if (given !== undefined) checkNumber(given, { least: 1, most: limits.workflowTimeoutSecondsMax }, at);
}

interface Bounds {
  readonly least: number;
  readonly most: number;
}

function checkNumber(given: unknown, { least, most }: Bounds, at: At): void {
  const isWhole = typeof given === "number" && Number.isSafeInteger(given);
  if (!isWhole || given < least || given > most) wrong(at, `must be a whole number from ${least} to ${most}`);
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
