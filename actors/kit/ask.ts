import { isRefusal, RefusalError } from "#base";
import type { Address, Answer, IdempotencyRef } from "#runtime";
import type { CallContext, Question } from "../module.ts";

export interface Asked {
  readonly to: Address;
  readonly method: string;
  readonly request: unknown;
  /**
   * For a change: names this question among the others of the call, so that a repeat of the call with the same key applies it
   * once. Absent: a read.
   */
  readonly step?: string;
}

/** What a question of an orchestration has of its call. */
export type Asking = Pick<CallContext, "caller" | "asker" | "deadlineMs"> &
  Partial<Pick<CallContext, "signal" | "idempotency">>;

/** One question of an orchestration to an entity: for the caller, within its deadline. Throws the refusal. */
export async function ask<Response>(call: Asking, asked: Asked): Promise<Response> {
  const answer = await tryAsk(call, asked);
  if (isRefusal(answer)) throw new RefusalError(answer);
  return answer.response as Response;
}

export function tryAsk(call: Asking, { to, method, request, step }: Asked): Promise<Answer> {
  const { caller, asker, deadlineMs, signal } = call;
  return asker.ask({ to, method, request, caller, deadlineMs, signal, idempotency: stepOf(call, step) });
}

function stepOf({ idempotency }: Asking, step: string | undefined): IdempotencyRef | undefined {
  if (idempotency === undefined || step === undefined) return undefined;
  return { ...idempotency, scope: `${idempotency.scope}${step}` };
}

/** The orchestration that asks one entity which the contract cannot name, with what `asked` makes of the request. */
export function questionOf(
  method: string,
  asked: (request: unknown, call: CallContext) => Pick<Asked, "to" | "request">,
): Question {
  return {
    // Field by field: spreading costs more than the rest of a question.
    ask(request, call) {
      const { to, request: asking } = asked(request, call);
      const { caller, deadlineMs, signal, idempotency } = call;
      return { to, method, request: asking, caller, deadlineMs, signal, idempotency };
    },
    read(answer) {
      if (isRefusal(answer)) throw new RefusalError(answer);
      return answer.response;
    },
  };
}
