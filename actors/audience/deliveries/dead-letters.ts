import { limits, type Refusal, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import { messageOf } from "../../kit/message.ts";
import type { Message } from "../../kit/record.ts";
import type { Event, State } from "../state.ts";
import { UnitOfWork } from "../unit-of-work.ts";
import { pump, skip, start } from "./dispatch.ts";
import { planFor, targetsOf } from "./plan.ts";
import { type Delivery, deadLetters } from "./record.ts";

export interface Redrive {
  readonly ids: readonly string[];
  readonly acceptDuplicate: boolean;
}

export function getDeadLetter(id: string, context: Context): Decision<Event> {
  const letter = deadLetters.get(id, context);
  return letter ? { events: [], answer: messageOf(letter) } : noLetter();
}

/** Each is answered by itself; those that are sent again join the commit. */
export function redrive(state: State, { ids, acceptDuplicate }: Redrive, context: Context): Decision<Event> {
  const unit = new UnitOfWork(state, context);
  context.prefetch(ids.map((id) => deadLetters.ref(id)));
  unit.prefetch(ids.flatMap((id) => unit.letter(id)?.deliveryId ?? []));
  const results = ids.map((id) => redriveOne(unit, id, acceptDuplicate));
  pump(unit);
  return unit.decided(results);
}

/** The same delivery, one generation on: preferences, address and integration are those of now. */
function redriveOne(unit: UnitOfWork, id: string, acceptDuplicate: boolean): Message | Refusal {
  const letter = unit.letter(id);
  const stored = letter && unit.delivery(letter.deliveryId);
  const subscriber = stored && unit.subscriber(stored.subscriberId);
  const manifest = stored && unit.manifest(stored.transactionId);
  if (!letter) return noLetter();
  const refused = notRedriven(letter, stored, acceptDuplicate);
  if (refused) return refused;
  if (!stored || !subscriber || !manifest)
    return refuse("FAILED_PRECONDITION", "what it sends is kept no more", { reason: "FORGOTTEN" });
  const redriven = {
    ...letter,
    status: "redriven" as const,
    redriveCount: letter.redriveCount + 1,
    updatedAt: unit.now,
  };
  unit.putLetter(letter, redriven);
  const fresh: Delivery = {
    ...stored,
    retryAt: 0,
    waitsFor: "",
    failure: null,
    generation: stored.generation + 1,
    attempt: 0,
    rounds: 0,
    tried: [],
    reconciliationRequired: false,
    expiresAt: unit.now + manifest.ttlMs,
  };
  const [planned] = planFor(subscriber, manifest, stored, unit.now, [stored.channel]);
  const allowed = planned?.to !== undefined;
  const target = targetsOf(subscriber, stored.channel, manifest).find(
    ({ endpointId, identity }) => endpointId === stored.endpointId && identity === stored.identity,
  );
  if (!allowed) skip(unit, stored, fresh, planned?.reasonCode ?? "no_endpoint");
  else if (!target) skip(unit, stored, fresh, "no_endpoint");
  else
    start(
      unit,
      stored,
      { ...fresh, reasonCode: planned.reasonCode, winningLayer: planned.winningLayer },
      subscriber,
      manifest,
    );
  return messageOf(unit.letter(id)!);
}

function notRedriven(
  letter: { readonly status: string; readonly redriveCount: number },
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

function noLetter(): Refusal {
  return refuse("NOT_FOUND", "there is no such dead letter");
}
