import { invalid, limits, type Refusal } from "#base";
import type { Context } from "#runtime";
import { CelEnvironment } from "../../../cel/environment.ts";
import { bodyOf, isInline } from "../rows/body.ts";
import type { Body, Item } from "../rows/item.ts";
import type { State } from "../state.ts";
import { findBody } from "../unit/find.ts";

/** Filters of lists and jobs. Times are those of the item, never now: a page and a job see the same. */
const environment = new CelEnvironment({
  item: "dyn",
  state: "string",
  attempts: "int",
  error_type: "string",
  created_at: "timestamp",
});

/** What is wrong with a filter; an empty one lets everything through. */
export function filterRefusal(filter: string): Refusal | undefined {
  if (filter === "") return undefined;
  const problems = environment.conditionProblems(filter);
  if (problems.length === 0) return undefined;
  const reasons = problems.map(({ line, column, reason }) => `line ${line}, column ${column}: ${reason}`);
  return invalid(...reasons.map((reason) => ({ field: "filter", reason })));
}

/** An item, with the row that it was read from where there is one. */
export interface Candidate {
  readonly item: Item;
  readonly row?: unknown;
}

/**
 * Which of these match, of as many of the first as one look takes; it ends with the match number `most`. An expression that
 * fails for an item does not match it. `undefined`: payloads have to be read first.
 */
export function matching(
  state: State,
  context: Context,
  filter: string,
  candidates: readonly Candidate[],
  most: number,
): boolean[] | undefined {
  if (filter === "") return candidates.slice(0, most).map(() => true);
  const looked = withinBytes(candidates);
  const bodies = looked.map((candidate) => bodyFor(state, context, candidate));
  if (bodies.includes(undefined)) return undefined;
  const budget = { steps: limits.queueFilterStepsMax };
  const found: boolean[] = [];
  for (let i = 0, matched = 0; i < looked.length && matched < most && budget.steps > 0; i++) {
    const matches = isMatch(filter, looked[i]!.item, bodies[i]!, budget);
    found.push(matches);
    if (matches) matched++;
  }
  context.spend(limits.queueFilterStepsMax - budget.steps);
  return found;
}

function isMatch(filter: string, item: Item, body: Body | null, budget: { steps: number }): boolean {
  const bindings = environment.bind(
    {
      item: {
        id: item.id,
        key: item.key,
        payload: body?.payload,
        attributes: body?.attributes ?? {},
        priority: item.band,
        cost: item.cost,
      },
      state: item.state,
      attempts: item.attempts,
      error_type: item.error?.type ?? "",
      created_at: item.createdAt,
    },
    budget,
  );
  const answer = environment.evaluate(filter, bindings);
  return "value" in answer && answer.value === true;
}

/** One at least. */
function withinBytes(candidates: readonly Candidate[]): readonly Candidate[] {
  let bytes = 0;
  for (const [index, { item }] of candidates.entries()) {
    bytes += item.bytes;
    if (bytes > limits.queueFilterBytesMax && index > 0) return candidates.slice(0, index);
  }
  return candidates;
}

function bodyFor(state: State, context: Context, { item, row }: Candidate): Body | null | undefined {
  const own = row !== undefined && isInline(item) ? bodyOf(item, row) : undefined;
  return own ?? findBody(state, context, item);
}
