import {
  type CelInput,
  type CelResult,
  CelScalar,
  celEnv,
  celError,
  isCelError,
  parse,
  plan,
} from "@bufbuild/cel";
import { strings } from "@bufbuild/cel/ext";
import { limits } from "#base";
import { checkExpression, placeOf, tooDeep } from "./cel-check.ts";
import { meteredFunctions } from "./cel-functions.ts";
import { lint, type Purpose } from "./cel-lint.ts";
import { Meter, tooManySteps } from "./cel-meter.ts";
import { prepare } from "./cel-prepare.ts";
import { type CelPurse, fullPurse, isSpent } from "./cel-purse.ts";
import { syntaxProblem } from "./cel-syntax.ts";
import { nowAsTimestamp } from "./cel-time.ts";
import { toCel } from "./cel-value.ts";

/**
 * CEL over `item`, `tenant` and `now`, for rule conditions and for the keys of admission, fairness and stickiness. Regular
 * expressions are RE2 and loops are metered, so an expression costs a bounded time whatever it is given.
 */
export interface Program {
  readonly source: string;
  readonly run: (input: CelBindings) => CelResult;
}

export interface CelBindings {
  /** Steps left for all expressions over this item. */
  readonly budget: { steps: number };
  /** Of the command, for all its items. */
  readonly purse: CelPurse;
  readonly item: unknown;
  readonly tenant: string;
  /** Milliseconds since the epoch; the expression sees an int. */
  readonly now: number;
}

export interface CelProblem {
  /** Both from 1. */
  readonly line: number;
  readonly column: number;
  readonly reason: string;
}

export type Compiled = { readonly program: Program } | { readonly problems: readonly CelProblem[] };

/** The same source twice is compiled once, as long as it stays among the recent ones. */
export function compile(source: string): Compiled {
  const known = cache.get(source);
  if (known) {
    cache.delete(source);
    cache.set(source, known);
    return known;
  }
  const compiled = compileFresh(source);
  if (cache.size >= limits.celCacheMax) cache.delete(cache.keys().next().value!);
  cache.set(source, compiled);
  return compiled;
}

/** Compiled when it is first run: a pool comes back without waiting for rules that no item may meet. */
export function lazyProgram(source: string): Program {
  let run: Program["run"] | undefined;
  return {
    source,
    run(input) {
      if (run === undefined) {
        if (!cache.has(source)) {
          if (isSpent(input.purse)) return unread;
          input.purse.steps -= source.length * parseSteps;
        }
        run = runOf(compile(source));
      }
      return run(input);
    },
  };
}

/** Its command has no steps left to parse it: it is run again in another one, which goes on from here. */
const unread = celError("not parsed yet");

/** For a character: 5 us. */
const parseSteps = 20;

/** What no longer compiles is like what fails at run time. */
function runOf(compiled: Compiled): Program["run"] {
  return "program" in compiled ? compiled.program.run : () => celError("does not compile");
}

/** Converts the item once for any number of programs, at the cost of a step a value. */
export function bind(item: unknown, tenant: string, now: number, purse = fullPurse()): CelBindings {
  const { value, count } = toCel(item);
  purse.steps -= count;
  return { item: value, tenant, now, budget: { steps: limits.celItemStepsMax - count }, purse };
}

/** "error" where the expression fails or is not a boolean: it does not match, and is counted. "unread": not parsed yet. */
export function matches(program: Program, bindings: CelBindings): true | false | "error" | "unread" {
  const value = program.run(bindings);
  if (value === unread) return "unread";
  // `run` returns errors as objects, which are truthy.
  return value === true || value === false ? value : "error";
}

/** The text of a key expression; scalars only, told apart by type. */
export function evaluateKey(program: Program, bindings: CelBindings): { key: string } | { error: string } {
  const value = program.run(bindings);
  if (isCelError(value)) return { error: value.message };
  switch (typeof value) {
    case "string":
      return { key: `s:${value}` };
    case "bigint":
      return { key: `i:${value}` };
    case "number":
      // 1.0 and 1 are one key: JSON does not tell them apart.
      return { key: Number.isInteger(value) ? `i:${BigInt(value)}` : `d:${value}` };
    case "boolean":
      return { key: `b:${value}` };
    default:
      return { error: "the key is not a string, a number or a boolean" };
  }
}

/** Problems of an expression with their places; none: it can be stored. */
export function problemsOf(source: string, purpose: Purpose): readonly CelProblem[] {
  const compiled = compile(source);
  return "problems" in compiled ? compiled.problems : lint(source, parse(source), purpose, badPattern);
}

/** What the engine itself says of a regular expression. */
function badPattern(pattern: string): string | undefined {
  meter.left = limits.celStepsMax;
  const result = plan(environment, parse("''.matches(tenant)"))({ item: null, tenant: pattern, now: 0n });
  return isCelError(result) ? result.message : undefined;
}

const cache = new Map<string, Compiled>();
const meter = new Meter();
/** Can answer far more text than they are given; the name of the last one cannot be written either. */
const growing = new Set(["replace", "join", "format", "strings.quote"]);

const library = celEnv({
  variables: { item: CelScalar.DYN, tenant: CelScalar.STRING, now: CelScalar.INT },
  funcs: strings.filter(({ name }) => !growing.has(name)),
});
const environment = Object.create(library, {
  funcs: { value: meteredFunctions(library.funcs, meter) },
}) as typeof library;

function compileFresh(source: string): Compiled {
  if (Buffer.byteLength(source) > limits.celBytesMax)
    return problem(1, 1, `longer than ${limits.celBytesMax} bytes`);
  try {
    const parsed = parse(source);
    const problems = checkExpression(source, parsed, environment.funcs);
    if (problems.length > 0) return { problems };
    nowAsTimestamp(parsed.expr);
    const { expression, steps } = prepare(parsed);
    const evaluate = plan(environment, expression);
    return { program: { source, run: (input) => runMetered(evaluate, steps, input) } };
  } catch (error) {
    return parseProblem(source, error);
  }
}

type Evaluate = (bindings: { item: CelInput; tenant: string; now: bigint }) => CelResult;

/** `steps`: what the parts of the expression take, beside what its functions and loops are charged while they run. */
function runMetered(evaluate: Evaluate, steps: number, bindings: CelBindings): CelResult {
  const { item, tenant, now, budget, purse } = bindings;
  const allowed = Math.min(limits.celStepsMax, budget.steps);
  meter.left = allowed - steps;
  // An expression may meet thousands of errors on its way; to trace one takes 50 us, to make it 1 us.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  let result: CelResult;
  try {
    result =
      meter.left < 0
        ? celError(tooManySteps)
        : evaluate({ item: item as CelInput, tenant, now: BigInt(now) });
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
  const used = allowed - Math.max(0, meter.left);
  budget.steps -= used;
  purse.steps -= used;
  return result;
}

function parseProblem(source: string, error: unknown): Compiled {
  const found = syntaxProblem(source);
  if (found !== undefined) return { problems: [{ ...placeOf(source, found.offset), reason: found.reason }] };
  if (!(error instanceof Error)) return problem(1, 1, "cannot be parsed");
  // The parser calls itself for each level, and had no stack left.
  if (error instanceof RangeError) return problem(1, 1, tooDeep);
  const { start } = (error as { location?: { start: { line: number; column: number } } }).location ?? {};
  const reason = error.message.replace(/^<input>:\d+:\d+: /, "");
  return problem(start?.line ?? 1, start?.column ?? 1, reason);
}

function problem(line: number, column: number, reason: string): Compiled {
  return { problems: [{ line, column, reason }] };
}
