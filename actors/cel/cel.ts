import { celError, isCelError, parse } from "@bufbuild/cel";
import { limits } from "#base";
import { fullBudget, isSpent } from "./command-budget.ts";
import { badPattern, type CelBindings, CelEnvironment, type Compiled, type Program } from "./environment.ts";
import { lint, type Purpose } from "./lint.ts";
import type { CelProblem } from "./problem.ts";
import { toCel } from "./value.ts";

export type { CelBindings, Program } from "./environment.ts";

/** CEL over `item`, `tenant` and `now`: for rule conditions and for the keys of admission, fairness and stickiness. */
const environment = new CelEnvironment({ item: "dyn", tenant: "string", now: "int" });

export function compile(source: string): Compiled {
  return environment.compile(source);
}

/** Compiled when it is first run: a pool comes back without waiting for rules that no item may meet. */
export function lazyProgram(source: string): Program {
  let run: Program["run"] | undefined;
  return {
    source,
    run(input) {
      if (run === undefined) {
        if (!environment.knows(source)) {
          if (isSpent(input.commandBudget)) return unread;
          input.commandBudget.steps -= source.length * parseSteps;
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
export function bind(item: unknown, tenant: string, now: number, commandBudget = fullBudget()): CelBindings {
  const { value, count } = toCel(item);
  commandBudget.steps -= count;
  const values = { item: value, tenant, now: BigInt(now) };
  return { values, budget: { steps: limits.celItemStepsMax - count }, commandBudget };
}

/** "error" where the expression fails or is not a boolean: it does not match, and is counted. "unread": not parsed yet. */
export function matches(program: Program, bindings: CelBindings): true | false | "error" | "unread" {
  const value = program.run(bindings);
  if (value === unread) return "unread";
  // `run` returns errors as objects, which are truthy.
  return value === true || value === false ? value : "error";
}

/** Why `matches` says "error". */
export function failureOf({ source, run }: Program, bindings: CelBindings): string {
  const compiled = compile(source);
  if ("problems" in compiled) {
    const [{ line, column, reason }] = compiled.problems as [CelProblem];
    return `line ${line}, column ${column}: ${reason}`;
  }
  const value = run(bindings);
  return isCelError(value) ? value.message : "is neither true nor false";
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
