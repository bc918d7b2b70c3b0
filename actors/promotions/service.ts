import type { EntityMethod } from "#runtime";
import { method } from "../kit/ask.ts";
import { attachPack } from "../kit/evidence.ts";
import { answered, answering } from "../kit/methods.ts";
import type { Message } from "../kit/record.ts";
import type { Command } from "./decide.ts";
import type { Asking } from "./rounds.ts";
import type { Event, State } from "./state.ts";
import type { Asked } from "./table.ts";

type Method = EntityMethod<State, Command, Event>;

export interface CandidateRef {
  readonly candidate_id: string;
}

/** With whether its environment asks for evidence. */
export type ApproveRequest = CandidateRef & Asking;

/** As in a list. */
export const getBrief = method<CandidateRef, Message & { readonly environment_id: string }>(
  "promotion",
  "GetBrief",
);
export const decideApproval = method<ApproveRequest, Message>("promotion", "DecideApproval");

export const methods: Readonly<Record<string, Method>> = {
  "PromotionService.GetCandidate": answered(({ candidate_id: id }: CandidateRef) => ({ type: "get", id })),
  "PromotionService.Preflight": operation("preflight"),
  "PromotionService.EvaluateGuardrails": operation("guardrails"),
  "PromotionService.StartCanary": operation("canary_start"),
  "PromotionService.StopCanary": operation("canary_stop"),
  "PromotionService.Promote": operation("promote"),
  "PromotionService.Rollback": operation("rollback"),
  "PromotionService.Abort": operation("abort"),
  [decideApproval.name]: operation("approve"),
  [getBrief.name]: answering(getBrief, ({ candidate_id: id }) => ({ type: "get", id, brief: true })),
  [attachPack.name]: answering(attachPack, (attach) => ({ type: "attach", id: attach.candidate_id, attach })),
};

function operation(operation: Asked): Method {
  return answered(({ candidate_id: id, ...given }: CandidateRef & Asking) => ({
    type: "operate",
    id,
    operation,
    given,
  }));
}
