import { handleOfChild, isRefusal, type Refusal, RefusalError } from "#base";
import type { CallContext, Orchestration } from "../module.ts";
import { batchError } from "../shared/batch.ts";
import type { OutcomeMessage } from "./service.ts";

type Answered = { readonly outcome: unknown } | { readonly refusal: Refusal };

export const recordOutcome: Orchestration = async (request, call) => {
  const [answer] = await recordAll([request as OutcomeMessage], call, true);
  if ("refusal" in answer!) throw new RefusalError(answer.refusal);
  return (answer as { outcome: unknown }).outcome;
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
): Promise<readonly Answered[]> {
  const byPool = new Map<string, number[]>();
  for (const [index, { routing_id, queue_item_id }] of outcomes.entries()) {
    const handle = handleOfChild((routing_id ?? queue_item_id)!);
    byPool.set(handle, [...(byPool.get(handle) ?? []), index]);
  }
  const answers: Answered[] = [];
  for (const [handle, indexes] of byPool) {
    const named = await Promise.all(indexes.map((index) => withRecipient(outcomes[index]!, handle, call)));
    const found = await askRouter(handle, named, call, single);
    for (const [position, index] of indexes.entries()) answers[index] = found[position]!;
  }
  return answers;
}

/**
 * An item knows who has it; the outcome counts for that recipient. One that is gone may have had this outcome before: the
 * router knows. Any other refusal is that of the pool.
 */
async function withRecipient(
  outcome: OutcomeMessage,
  handle: string,
  call: CallContext,
): Promise<OutcomeMessage | Refusal> {
  const { recipient_id: _, ...plain } = outcome;
  if (plain.queue_item_id === undefined) return plain;
  const { caller, asker, deadlineMs, signal } = call;
  const answer = await asker.ask({
    to: { kind: "queue", tenant: caller.tenant, key: handle },
    method: "QueueService.GetItem",
    request: { queue_item_id: plain.queue_item_id },
    caller,
    deadlineMs,
    signal,
  });
  if (isRefusal(answer)) return answer.code === "NOT_FOUND" ? { ...plain, gone: answer } : answer;
  const { lease } = answer.response as { lease?: { recipient_id?: string } };
  return lease?.recipient_id === undefined ? plain : { ...plain, recipient_id: lease.recipient_id };
}

/** An answer for every entry, in their order: also a stored one, to a request that is repeated. */
async function askRouter(
  handle: string,
  named: readonly (OutcomeMessage | Refusal)[],
  call: CallContext,
  single: boolean,
): Promise<readonly Answered[]> {
  const refusal = named.find((one): one is Refusal => isRefusal(one));
  if (refusal) return named.map(() => ({ refusal }));
  const outcomes = named as readonly OutcomeMessage[];
  const { caller, asker, deadlineMs, signal, idempotency } = call;
  const answer = await asker.ask({
    to: { kind: "router", tenant: caller.tenant, key: handle },
    method: "Router.RecordOutcomes",
    request: { outcomes, single },
    caller,
    deadlineMs,
    signal,
    ...(idempotency && { idempotency }),
  });
  if (isRefusal(answer))
    return outcomes.map(({ gone }) => ({ refusal: (answer.code === "NOT_FOUND" && gone) || answer }));
  return answer.response as Answered[];
}
