import { limits, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import type { Event, State, TransactionClaim } from "./state.ts";
import { Work } from "./work.ts";

export interface ClaimTransaction {
  readonly transactionId: string;
  /** Of the body of the trigger. */
  readonly fingerprint: string;
  /** Key of the entity that has the transaction, where it is known; a topic's begins with `T`. */
  readonly holder: string;
}

/** A caller's transaction id is that of one body. */
export function claimTransaction(state: State, asked: ClaimTransaction, context: Context): Decision<Event> {
  const { transactionId, fingerprint, holder } = asked;
  const work = new Work(state, context);
  const known = work.reads.row<TransactionClaim>("claims", transactionId);
  if (work.reads.need) return work.reads.need;
  const valid = known && context.now < known.at + limits.transactionClaimMs;
  if (valid && known.fingerprint !== fingerprint)
    return refuse("ALREADY_EXISTS", `the transaction ${transactionId} has another body`, {
      reason: "TRANSACTION_ID_CONFLICT",
    });
  if (valid) return { events: [], answer: { at: known.at } };
  if (known) work.events.push({ type: "claims_forgotten", claims: [[known.at, transactionId]] });
  const claim = { fingerprint, at: context.now, holder };
  work.events.push({ type: "claimed", transactionId, claim });
  work.events.push({ type: "claims_due", atMs: context.now + limits.transactionClaimMs + 1 });
  return work.decided({ at: claim.at });
}

/** Which entity has a transaction that a caller has named. */
export function findTransaction(state: State, transactionId: string, context: Context): Decision<Event> {
  const work = new Work(state, context);
  const known = work.reads.row<TransactionClaim>("claims", transactionId);
  return work.decided({ holder: known?.holder ?? "" });
}
