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
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { limits } from "#base";
import { booleanProblems } from "./boolean.ts";
import { checkExpression, placeOf, tooDeep } from "./check.ts";
import { type CommandBudget, fullBudget } from "./command-budget.ts";
import { meteredFunctions } from "./functions.ts";
import { Meter, tooManySteps } from "./meter.ts";
import { prepare } from "./prepare.ts";
import type { CelProblem } from "./problem.ts";
import { syntaxProblem } from "./syntax.ts";
import { nowAsTimestamp } from "./time.ts";
import { plainOf, toCel } from "./value.ts";

/** A compiled expression. */
export interface Program {
  readonly source: string;
  readonly run: (input: CelBindings) => CelResult;
}

export interface CelBindings {
  /** Steps left for all expressions over these values. */
  readonly budget: { steps: number };
  /** Of the command, for all its items. */
  readonly commandBudget: CommandBudget;
  /** By variable, as CEL has them: see `toCel`. */
  readonly values: Readonly<Record<string, unknown>>;
}

export type Compiled = { readonly program: Program } | { readonly problems: readonly CelProblem[] };

/** What a variable may hold; `dyn`: any JSON value. An `int` that is called `now`, and a `timestamp`, are given in milliseconds. */
export type CelVariableType = keyof typeof scalars;

const scalars = {
  dyn: CelScalar.DYN,
  string: CelScalar.STRING,
  int: CelScalar.INT,
  bool: CelScalar.BOOL,
  timestamp: CelScalar.DYN,
} as const;

/**
 * CEL for one purpose: a module declares which variables its expressions see. Regular expressions are RE2 and loops are metered,
 * so an expression costs a bounded time whatever it is given.
 */
export class CelEnvironment {
  readonly #names: readonly string[];
  readonly #variables: Readonly<Record<string, CelVariableType>>;
  readonly #environment: typeof emptyLibrary;
  readonly #cache = new Map<string, Compiled>();

  constructor(variables: Readonly<Record<string, CelVariableType>>) {
    this.#names = Object.keys(variables);
    this.#variables = variables;
    const types = Object.entries(variables).map(([name, type]) => [name, scalars[type]] as const);
    const library = celEnv({ variables: Object.fromEntries(types), funcs });
    this.#environment = Object.create(library, {
      funcs: { value: meteredFunctions(library.funcs, meter) },
    }) as typeof library;
  }

  /** The same source twice is compiled once, as long as it stays among the recent ones. */
  compile(source: string): Compiled {
    const known = this.#cache.get(source);
    if (known) {
      this.#cache.delete(source);
      this.#cache.set(source, known);
      return known;
    }
    const compiled = this.#compileFresh(source);
    if (this.#cache.size >= limits.celCacheMax) this.#cache.delete(this.#cache.keys().next().value!);
    this.#cache.set(source, compiled);
    return compiled;
  }

  /** What is wrong with an expression that has to be true or false. */
  conditionProblems(source: string): readonly CelProblem[] {
    const compiled = this.compile(source);
    if ("problems" in compiled) return compiled.problems;
    return booleanProblems(source, parse(source), ({ exprKind }) => {
      const type = exprKind.case === "identExpr" ? this.#variables[exprKind.value.name] : undefined;
      return type !== undefined && type !== "dyn" && type !== "bool";
    });
  }

  /** Whether `compile` would answer without parsing. */
  knows(source: string): boolean {
    return this.#cache.has(source);
  }

  /** Converts plain values once for any number of programs, at the cost of a step a value. */
  bind(values: Readonly<Record<string, unknown>>, commandBudget = fullBudget()): CelBindings {
    let steps = 0;
    const converted = Object.entries(values).map(([name, value]) => {
      if (this.#variables[name] === "timestamp") return [name, timestampFromMs(value as number)] as const;
      const { value: ours, count } = toCel(value);
      steps += count;
      return [name, ours] as const;
    });
    commandBudget.steps -= steps;
    return {
      values: Object.fromEntries(converted),
      budget: { steps: limits.celItemStepsMax - steps },
      commandBudget,
    };
  }

  /** The plain value of an expression, or why it has none. */
  evaluate(source: string, bindings: CelBindings): { readonly value: unknown } | { readonly error: string } {
    const compiled = this.compile(source);
    if ("problems" in compiled) return { error: compiled.problems[0]?.reason ?? "does not compile" };
    const result = compiled.program.run(bindings);
    return isCelError(result) ? { error: result.message } : plainOf(result);
  }

  #compileFresh(source: string): Compiled {
    if (Buffer.byteLength(source) > limits.celBytesMax)
      return problem(1, 1, `longer than ${limits.celBytesMax} bytes`);
    try {
      const parsed = parse(source);
      const problems = checkExpression(source, parsed, this.#names, this.#environment.funcs);
      if (problems.length > 0) return { problems };
      if (this.#names.includes("now")) nowAsTimestamp(parsed.expr);
      const { expression, steps } = prepare(parsed);
      const evaluate = plan(this.#environment, expression) as Evaluate;
      return { program: { source, run: (input) => runMetered(evaluate, steps, input) } };
    } catch (error) {
      return parseProblem(source, error);
    }
  }
}

const meter = new Meter();
/** Can answer far more text than they are given; the name of the last one cannot be written either. */
const growing = new Set(["replace", "join", "format", "strings.quote"]);
const funcs = strings.filter(({ name }) => !growing.has(name));
const emptyLibrary = celEnv({ variables: {}, funcs });
const patterns = new CelEnvironment({ pattern: "string" });

/** What the engine itself says of a regular expression. */
export function badPattern(pattern: string): string | undefined {
  const result = patterns.evaluate("''.matches(pattern)", patterns.bind({ pattern }));
  return "error" in result ? result.error : undefined;
}

type Evaluate = (bindings: Readonly<Record<string, CelInput>>) => CelResult;

/** `steps`: what the parts of the expression take, beside what its functions and loops are charged while they run. */
function runMetered(
  evaluate: Evaluate,
  steps: number,
  { values, budget, commandBudget }: CelBindings,
): CelResult {
  const allowed = Math.min(limits.celStepsMax, budget.steps);
  meter.left = allowed - steps;
  // An expression may meet thousands of errors on its way; to trace one takes 50 us, to make it 1 us.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  let result: CelResult;
  try {
    result = meter.left < 0 ? celError(tooManySteps) : evaluate(values as Readonly<Record<string, CelInput>>);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
  const used = allowed - Math.max(0, meter.left);
  budget.steps -= used;
  commandBudget.steps -= used;
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
