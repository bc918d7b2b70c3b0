import { limits, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import { tables } from "../rows.ts";
import type { Event } from "../state.ts";

export interface ClaimTransaction {
  readonly transactionId: string;
  /** Of the body of the trigger. */
  readonly fingerprint: string;
  /** Key of the entity that has the transaction, where it is known; a topic's begins with `T`. */
  readonly owner: string;
}

/** A caller's transaction id is that of one body. */
export function claimTransaction(asked: ClaimTransaction, context: Context): Decision<Event> {
  const { transactionId, fingerprint, owner } = asked;
  const known = context.get(tables.claims, [transactionId]);
  const valid = known && context.now < known.at + limits.transactionClaimMs;
  if (valid && known.fingerprint !== fingerprint)
    return refuse("ALREADY_EXISTS", `the transaction ${transactionId} has another body`, {
      reason: "TRANSACTION_ID_CONFLICT",
    });
  if (valid) return { events: [], answer: { at: known.at } };
  const claim = { fingerprint, at: context.now, owner };
  const events: Event[] = [
    { type: "claimed", transactionId, claim },
    { type: "claims_due", atMs: context.now + limits.transactionClaimMs + 1 },
  ];
  if (known) events.unshift({ type: "claims_forgotten", claims: [[known.at, transactionId]] });
  return { events, answer: { at: claim.at } };
}

/** Which entity has a transaction that a caller has named. */
export function findTransaction(transactionId: string, context: Context): Decision<Event> {
  return { events: [], answer: { owner: context.get(tables.claims, [transactionId])?.owner ?? "" } };
}
