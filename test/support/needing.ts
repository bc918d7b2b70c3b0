/**
 * The one way to a test that needs more than Node. Where a part is missing the test is skipped by name, and the end of
 * `npm test` lists it (`test/skipped.ts`). Under CI nothing may be missing: there it is a failure.
 */
import { appendFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import test, { type ImplementationFn, type TestFn } from "ava";
import { missingParts, type Part, partKinds } from "./parts.ts";

type Declare<Context> = (title: string, implementation: ImplementationFn<[], Context>) => void;

/** Declares tests that need the parts: `const onCassandra = needing(test.serial, "cassandra")`. */
export function needing<Context>(
  declare: TestFn<Context> | TestFn<Context>["serial"],
  ...parts: readonly Part[]
): Declare<Context> {
  const missing = allowedToMiss(parts);
  if (missing.length === 0) return declare;
  return (title, implementation) => {
    note(title, missing);
    declare.skip(`${title} (skipped: no ${missing.join(", no ")})`, implementation);
  };
}

/** Runs `cases`, which declares all tests of a file, where the parts are here. `title` says what they are about. */
export function casesNeeding(title: string, parts: readonly Part[], cases: () => void): void {
  if (allowedToMiss(parts).length === 0) cases();
  else needing(test, ...parts)(title, () => undefined);
}

function allowedToMiss(parts: readonly Part[]): readonly Part[] {
  const missing = missingParts(parts);
  if (missing.length > 0 && process.env.CI === "true")
    throw new Error(
      `under CI: ${missing.map((part) => `no ${part} (${partKinds[part].install})`).join(", ")}`,
    );
  return missing;
}

/** For the list at the end of the run. */
function note(title: string, missing: readonly Part[]): void {
  const { TEST_SKIPPED: list } = process.env;
  const file = fileURLToPath(test.meta.file);
  if (list !== undefined)
    appendFileSync(list, `${JSON.stringify({ file, title, missing } satisfies Skipped)}\n`);
}

/** A line of the list. */
export interface Skipped {
  readonly file: string;
  readonly title: string;
  readonly missing: readonly Part[];
}
