import type { CaseResult } from "#actors";
import { asError, limits } from "#base";
import type { Case, Suite } from "./case.ts";
import { CaseFailure, NotApplicable } from "./failures.ts";
import { Tester, type TesterParts } from "./tester.ts";

export interface RunParts extends TesterParts {
  readonly mode: "sandbox" | "dry_run";
  /** Ids of the capabilities that are active or degraded. */
  readonly capabilities: ReadonlySet<string>;
  /** When no more time is left for any case. */
  readonly endMs: number;
}

/** The cases of a suite in their order, some at a time. What is not done in time is not run; a suite that hangs fails no other. */
export async function runSuite(suite: Suite, parts: RunParts): Promise<readonly CaseResult[]> {
  const isThere = suite.capability === undefined || parts.capabilities.has(suite.capability);
  if (!isThere)
    return suite.cases.map(({ id }) => result(id, "not_applicable", `${suite.capability} is not active`));
  const endMs = Math.min(parts.endMs, Date.now() + limits.conformanceSuiteMs);
  const results: CaseResult[] = new Array(suite.cases.length);
  const waiting = [...suite.cases.entries()];
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift())
      results[next[0]] = await runCase(next[1], { ...parts, endMs });
  };
  await Promise.all(Array.from({ length: limits.conformanceCasesAtOnce }, worker));
  return results;
}

async function runCase(one: Case, parts: RunParts): Promise<CaseResult> {
  const leftMs = parts.endMs - Date.now();
  if (parts.mode === "dry_run" && one.effect === "sandbox")
    return result(one.id, "not_run", "a dry run changes nothing");
  if (leftMs <= 0) return result(one.id, "not_run", "no time was left");
  const tester = new Tester(parts);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new CaseFailure(`it was not done within ${leftMs} ms`)), leftMs);
  });
  try {
    await Promise.race([one.run(tester), late]);
    return result(one.id, "passed", "");
  } catch (thrown) {
    if (thrown instanceof NotApplicable) return result(one.id, "not_applicable", thrown.message);
    // What an answer lacked is as much a failure as what it had wrong.
    const detail = asError(thrown).message;
    return result(one.id, "failed", detail.slice(0, limits.conformanceDetailLengthMax));
  } finally {
    clearTimeout(timer);
  }
}

function result(id: string, status: CaseResult["status"], detail: string): CaseResult {
  return { id, status, detail };
}
