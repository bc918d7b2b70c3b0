import type { EntityMethod } from "#runtime";
import { method } from "../kit/ask.ts";
import { attachPack } from "../kit/evidence.ts";
import { answered, answering } from "../kit/methods.ts";
import type { Message } from "../kit/record.ts";
import type { Approving, Command } from "./decide.ts";
import type { Given } from "./rounds.ts";
import type { Event, State } from "./state.ts";
import type { Asked } from "./table.ts";

type Method = EntityMethod<State, Command, Event>;

export interface CandidateRef {
  readonly candidate_id: string;
}

interface Reasoned {
  readonly reason?: string;
}

/** With whether its environment asks for evidence. */
export interface ApproveRequest extends CandidateRef, Reasoned {
  readonly decision: "approve" | "reject";
  readonly accept_inconclusive?: boolean;
  readonly evidence_required: boolean;
}

/** As in a list. */
export const getBrief = method<CandidateRef, Message & { readonly environment_id: string }>(
  "promotion",
  "GetBrief",
);
export const decideApproval = method<ApproveRequest, Message>("promotion", "DecideApproval");

export const methods: Readonly<Record<string, Method>> = {
  "PromotionService.GetCandidate": answered(({ candidate_id: id }: CandidateRef) => ({ type: "get", id })),
  "PromotionService.Preflight": operation("preflight", () => ({})),
  "PromotionService.EvaluateGuardrails": operation("guardrails", () => ({})),
  "PromotionService.StartCanary": operation(
    "canary_start",
    ({ share_bps: bps, max_seconds: maxSeconds }: { share_bps?: number; max_seconds?: number }) => ({
      ...(bps !== undefined && { bps }),
      ...(maxSeconds !== undefined && { maxSeconds }),
    }),
  ),
  "PromotionService.StopCanary": operation("canary_stop", () => ({})),
  "PromotionService.Promote": operation("promote", () => ({})),
  "PromotionService.Rollback": operation("rollback", reasonOf),
  "PromotionService.Abort": operation("abort", reasonOf),
  [decideApproval.name]: operation("approve", (request: ApproveRequest) => ({
    ...reasonOf(request),
    decision: request.decision,
    acceptInconclusive: request.accept_inconclusive === true,
    evidenceRequired: request.evidence_required,
  })),
  [getBrief.name]: answering(getBrief, ({ candidate_id: id }) => ({ type: "get", id, brief: true })),
  [attachPack.name]: answering(attachPack, (attach) => ({ type: "attach", id: attach.candidate_id, attach })),
};

function operation<Request>(name: Asked, given: (request: Request) => Given & Approving): Method {
  return answered((request: CandidateRef & Request) => ({
    type: "operate",
    id: request.candidate_id,
    operation: name,
    given: given(request),
  }));
}

function reasonOf({ reason }: Reasoned): Reasoned {
  return reason === undefined || reason === "" ? {} : { reason };
}
