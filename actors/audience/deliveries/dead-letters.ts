import { isRefusal, limits, type Refusal, refuse } from "#base";
import type { GetDeadLetterRequest, RedriveDeadLetterRequest } from "#protos";
import { messageOf } from "../../kit/message.ts";
import type { Message } from "../../kit/record.ts";
import type { Decide } from "../state.ts";
import { UnitOfWork } from "../unit-of-work.ts";
import { pump, skip, start } from "./dispatch.ts";
import { planFor, targetsOf } from "./plan.ts";
import { type DeadLetter, type Delivery, deadLetters } from "./record.ts";

export interface Redrive {
  readonly ids: readonly string[];
  readonly acceptDuplicate: boolean;
}

export const getDeadLetter: Decide<GetDeadLetterRequest> = (_state, { dead_letter_id }, context) => {
  const letter = deadLetters.get(dead_letter_id, context);
  return letter ? { events: [], answer: messageOf(letter) } : noLetter;
};

/** Each is answered by itself; those that are sent again join the commit. */
export const redrive: Decide<Redrive> = (state, { ids, acceptDuplicate }, context) => {
  const unit = new UnitOfWork(state, context);
  context.prefetch(ids.map((id) => deadLetters.ref(id)));
  unit.prefetch(ids.flatMap((id) => unit.letter(id)?.deliveryId ?? []));
  const results = ids.map((id) => redriveOne(unit, id, acceptDuplicate));
  pump(unit);
  return unit.decided(results);
};

/** Alone its refusal is that of the call. */
export const redriveDeadLetter: Decide<RedriveDeadLetterRequest> = (state, request, context) => {
  const unit = new UnitOfWork(state, context);
  const result = redriveOne(unit, request.dead_letter_id, request.accept_duplicate);
  if (isRefusal(result)) return result;
  pump(unit);
  return unit.decided(result);
};

/** The same delivery, one generation on: preferences, address and integration are those of now. */
function redriveOne(unit: UnitOfWork, id: string, acceptDuplicate: boolean): Message | Refusal {
  const letter = unit.letter(id);
  if (!letter) return noLetter;
  const stored = unit.delivery(letter.deliveryId);
  const sending = stored && unit.sendingOf(stored);
  const refused = notRedriven(letter, stored, acceptDuplicate);
  if (refused) return refused;
  if (!sending)
    return refuse("FAILED_PRECONDITION", "what it sends is kept no more", { reason: "FORGOTTEN" });
  const { subscriber, manifest } = sending;
  const redriveCount = letter.redriveCount + 1;
  unit.putLetter(letter, { ...letter, status: "redriven", redriveCount, updatedAt: unit.now });
  const fresh: Delivery = {
    ...stored,
    failure: null,
    generation: stored.generation + 1,
    attempt: 0,
    rounds: 0,
    tried: [],
    reconciliationRequired: false,
    expiresAt: unit.now + manifest.ttlMs,
  };
  const [planned] = planFor(subscriber, manifest, stored, unit.now, [stored.channel]);
  const target = targetsOf(subscriber, stored.channel, manifest).find(
    ({ endpointId, identity }) => endpointId === stored.endpointId && identity === stored.identity,
  );
  if (!planned?.to) skip(unit, stored, fresh, planned?.reasonCode ?? "no_endpoint");
  else if (!target) skip(unit, stored, fresh, "no_endpoint");
  else {
    const { reasonCode, winningLayer } = planned;
    start(unit, stored, { ...fresh, reasonCode, winningLayer }, sending);
  }
  return messageOf(unit.letter(id)!);
}

function notRedriven(
  letter: DeadLetter,
  delivery: Delivery | null,
  acceptDuplicate: boolean,
): Refusal | undefined {
  if (letter.status !== "open")
    return refuse("STATE_CONFLICT", `a ${letter.status} dead letter is not redriven: it has to be open`);
  if (letter.redriveCount >= limits.redrivesMax)
    return refuse("FAILED_PRECONDITION", `it was redriven ${limits.redrivesMax} times`, {
      reason: "LIMIT_REACHED",
    });
  if (delivery?.reconciliationRequired && !acceptDuplicate)
    return refuse(
      "FAILED_PRECONDITION",
      "it may have been sent: say accept_duplicate, or wait for an observation",
      { reason: "OUTCOME_UNKNOWN" },
    );
  return undefined;
}

const noLetter = refuse("NOT_FOUND", "there is no such dead letter");
