import { limits, refuse } from "#base";
import { secretOf } from "../../kit/state.ts";
import { tables } from "../rows.ts";
import type { Decide, Event } from "../state.ts";
import { retentionAt } from "./retention.ts";

export interface ClaimTransaction {
  readonly transactionId: string;
  /** Of the body of the trigger. */
  readonly fingerprint: string;
  /** Key of the entity that has the transaction, where it is known; a topic's begins with `T`. */
  readonly owner: string;
}

/** A caller's transaction id is that of one body. */
export const claimTransaction: Decide<ClaimTransaction> = (state, asked, context) => {
  const { transactionId, fingerprint, owner } = asked;
  const known = context.get(tables.claims, [transactionId]);
  const valid = known && context.now < known.at + limits.transactionClaimMs;
  if (valid && known.fingerprint !== fingerprint)
    return refuse("ALREADY_EXISTS", `the transaction ${transactionId} has another body`, {
      reason: "TRANSACTION_ID_CONFLICT",
    });
  if (valid) return { events: [], answer: { at: known.at } };
  const claim = { fingerprint, at: context.now, owner };
  const events: Event[] = [{ type: "claimed", transactionId, claim }, ...retentionAt(state, context.now)];
  if (known) events.unshift({ type: "claims_forgotten", claims: [[known.at, transactionId]] });
  return { events, answer: { at: claim.at } };
};

interface Transaction {
  readonly transactionId: string;
}

/** Which entity has a transaction that a caller has named. */
export const findTransaction: Decide<Transaction> = (_state, { transactionId }, context) => ({
  events: [],
  answer: { owner: context.get(tables.claims, [transactionId])?.owner ?? "" },
});

export const getManifest: Decide<Transaction> = (_state, { transactionId }, context) => ({
  events: [],
  answer: { manifest: context.get(tables.manifests, [transactionId]) },
});

/** What links are signed with. */
export const getLinkSecret: Decide<object> = (state, _request, context) => {
  const { secret, drawn } = secretOf(state, context);
  return { events: drawn, answer: { secret } };
};
