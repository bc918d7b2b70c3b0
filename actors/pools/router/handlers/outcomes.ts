import { handleOfChild, isRefusal, type Refusal, RefusalError } from "#base";
import { tryAsk } from "../../../kit/ask.ts";
import { batchError } from "../../../kit/batch.ts";
import type { CallContext, Orchestration } from "../../../module.ts";
import { type ItemOwner, itemOwners } from "../../item-owner.ts";
import { type AnsweredOutcome, type OutcomeMessage, recordInPool } from "../service.ts";

export const recordOutcome: Orchestration = async (request, call) => {
  const [answer] = await recordAll([request as OutcomeMessage], call, true);
  if ("refusal" in answer!) throw new RefusalError(answer.refusal);
  return answer!.outcome;
};

/** Outcomes of one pool go to it together; a pool that refuses spoils its own entries only. */
export const recordOutcomes: Orchestration = async (request, call) => {
  const { outcomes } = request as { outcomes: readonly OutcomeMessage[] };
  const answers = await recordAll(outcomes, call, false);
  return {
    results: answers.map((answer, index) =>
      "refusal" in answer ? { index, error: batchError(answer.refusal) } : { index, outcome: answer.outcome },
    ),
  };
};

async function recordAll(
  outcomes: readonly OutcomeMessage[],
  call: CallContext,
  single: boolean,
): Promise<readonly AnsweredOutcome[]> {
  const byPool = new Map<string, number[]>();
  for (const [index, { routing_id, queue_item_id }] of outcomes.entries()) {
    const handle = handleOfChild((routing_id ?? queue_item_id)!);
    byPool.set(handle, [...(byPool.get(handle) ?? []), index]);
  }
  const answers: AnsweredOutcome[] = [];
  for (const [handle, indexes] of byPool) {
    const reported = indexes.map((index) => outcomes[index]!);
    const found = await recordOf(handle, reported, call, single);
    for (const [position, index] of indexes.entries()) answers[index] = found[position]!;
  }
  return answers;
}

async function recordOf(
  handle: string,
  reported: readonly OutcomeMessage[],
  call: CallContext,
  single: boolean,
): Promise<readonly AnsweredOutcome[]> {
  const named = await withRecipients(reported, handle, call);
  return isRefusal(named) ? reported.map(() => ({ refusal: named })) : askRouter(handle, named, call, single);
}

/**
 * An item knows who has it; the outcome counts for that recipient. One that is gone may have had this outcome before: the
 * router knows. Any other refusal is that of the pool.
 */
async function withRecipients(
  outcomes: readonly OutcomeMessage[],
  handle: string,
  call: CallContext,
): Promise<readonly OutcomeMessage[] | Refusal> {
  const plain = outcomes.map(({ recipient_id: _, ...rest }) => rest);
  const items = plain.flatMap(({ queue_item_id }) => queue_item_id ?? []);
  if (items.length === 0) return plain;
  const owners = await ownersOf(items, handle, call);
  if (isRefusal(owners)) return owners;
  let next = 0;
  return plain.map((outcome) =>
    outcome.queue_item_id === undefined ? outcome : { ...outcome, ...owners[next++] },
  );
}

async function ownersOf(
  items: readonly string[],
  handle: string,
  call: CallContext,
): Promise<readonly ItemOwner[] | Refusal> {
  const answer = await tryAsk(call, itemOwners, { key: handle, request: { queue_item_ids: items } });
  if (!isRefusal(answer)) return answer.response.owners;
  return answer.code === "NOT_FOUND" ? items.map(() => ({ gone: answer })) : answer;
}

/** An answer for every entry, in their order: also a stored one, to a request that is repeated. */
async function askRouter(
  handle: string,
  outcomes: readonly OutcomeMessage[],
  call: CallContext,
  single: boolean,
): Promise<readonly AnsweredOutcome[]> {
  const answer = await tryAsk(call, recordInPool, { key: handle, request: { outcomes, single }, step: "" });
  if (isRefusal(answer))
    return outcomes.map(({ gone }) => ({ refusal: (answer.code === "NOT_FOUND" && gone) || answer }));
  return answer.response;
}
