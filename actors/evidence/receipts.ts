import { digestOf, isRefusal, limits, type Refusal, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import type { AddedReceipt, CanaryReceipt, ReceiptRequest, SignedReceipt } from "../kit/evidence.ts";
import { limitReached } from "../kit/record.ts";
import { checkStatement, statementOf, typeOf } from "./receipt.ts";
import { type Pack, type Receipt, type Run, receiptMessage } from "./record.ts";
import { ended, finishRun, lostLease, noRun } from "./runs.ts";
import { type Event, runs, type State } from "./state.ts";

export function addReceipt(state: State, pack: Pack, given: AddedReceipt, context: Context): Decision<Event> {
  if (state.gate.size >= limits.evidenceReceiptsMax)
    return limitReached("a pack", limits.evidenceReceiptsMax, "receipts");
  const made = readReceipt(pack, given, context.now);
  if (isRefusal(made)) return made;
  const { run_id: runId } = given;
  if (runId === undefined) return added(pack, made, undefined, context);
  const run = runs.get(runId, context);
  if (run === null) return noRun();
  const lost = lostLease(run, given.lease_token ?? "", context.now);
  if (lost) return lost;
  if (run.state !== "running") return ended(run);
  if (run.kind !== made.type)
    return refuse("INVALID_ARGUMENT", `the run brings a ${run.kind} receipt, not one of type ${made.type}`, {
      fields: [{ field: "run_id", reason: `is a run of kind ${run.kind}` }],
    });
  return added(pack, made, run, context);
}

function readReceipt(pack: Pack, given: AddedReceipt, now: number): SignedReceipt | Refusal {
  if (given.signed) return checkStatement(given.signed.type, given.signed.statement, now) ?? given.signed;
  const type = typeOf(given);
  if (type === undefined)
    return refuse("INVALID_ARGUMENT", "a receipt has exactly one type", {
      fields: [{ field: "receipt", reason: "one of its types is required" }],
    });
  const statement = statementOf(type, given, pack, now);
  return isRefusal(statement) ? statement : { type, statement, keyId: "" };
}

function added(pack: Pack, read: SignedReceipt, run: Run | undefined, context: Context) {
  const { type, statement, keyId } = read;
  const receipt: Receipt = {
    id: context.newId(context.address.key),
    type,
    statement,
    digest: digestOf(statement),
    runId: run?.id ?? "",
    producerKeyId: keyId,
    createdBy: context.caller?.subject ?? "",
    createdAt: context.now,
  };
  const { result } = statement.predicate;
  const events: Event[] = [{ type: "receipt_added", receipt, now: context.now }];
  if (run) events.push(finishRun(run, { id: receipt.id, result }, context.now));
  return { events, answer: receiptMessage(pack, receipt) };
}

/** A promotion says what its canary showed: no caller can. */
export function addCanary(state: State, told: CanaryReceipt, context: Context): Decision<Event> {
  const { pack } = state;
  if (pack?.id !== told.packId || pack.state === "archived" || pack.candidate?.id !== told.candidateId)
    return { events: [] };
  const request: ReceiptRequest = {
    canary: { figures: told.details },
    result: told.result,
    subjects: [{ name: `candidate/${told.candidateId}`, digest: told.candidateDigest }],
  };
  const statement = statementOf("canary", request, pack, context.now);
  if (isRefusal(statement)) return { events: [] };
  return { events: added(pack, { type: "canary", statement, keyId: "" }, undefined, context).events };
}
