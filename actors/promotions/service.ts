import type { EntityMethod } from "#runtime";
import type { AttachPack } from "../kit/evidence.ts";
import { answered } from "../kit/methods.ts";
import type { Message } from "../kit/record.ts";
import type { Approving, Command } from "./decide.ts";
import type { Given } from "./rounds.ts";
import type { Event, State } from "./state.ts";
import type { Asked } from "./table.ts";

type Method = EntityMethod<State, Command, Event>;

export const methods: Readonly<Record<string, Method>> = {
  "PromotionService.GetCandidate": answered((request) => ({ type: "get", id: idOf(request) })),
  "PromotionService.Preflight": operation("preflight", () => ({})),
  "PromotionService.EvaluateGuardrails": operation("guardrails", () => ({})),
  "PromotionService.StartCanary": operation("canary_start", ({ share_bps, max_seconds }) => ({
    ...(share_bps !== undefined && { bps: share_bps as number }),
    ...(max_seconds !== undefined && { maxSeconds: max_seconds as number }),
  })),
  "PromotionService.StopCanary": operation("canary_stop", () => ({})),
  "PromotionService.Promote": operation("promote", () => ({})),
  "PromotionService.Rollback": operation("rollback", reasonOf),
  "PromotionService.Abort": operation("abort", reasonOf),
  /** With whether its environment asks for evidence; not in the contract. */
  "Promotion.Approve": operation("approve", (request) => ({
    ...reasonOf(request),
    decision: request.decision as "approve" | "reject",
    acceptInconclusive: request.accept_inconclusive === true,
    evidenceRequired: request.evidence_required === true,
  })),
  /** As in a list; not in the contract. */
  "Promotion.GetBrief": answered((request) => ({ type: "get", id: idOf(request), brief: true })),
  /** Asked by the door of evidence packs; not in the contract. */
  "Promotion.AttachPack": answered((request) => ({
    type: "attach",
    id: idOf(request),
    attach: request as unknown as AttachPack,
  })),
};

function operation(name: Asked, given: (request: Message) => Given & Approving): Method {
  return answered((request) => ({
    type: "operate",
    id: idOf(request),
    operation: name,
    given: given(request),
  }));
}

function reasonOf({ reason }: Message): { readonly reason?: string } {
  return reason === undefined || reason === "" ? {} : { reason: reason as string };
}

function idOf(request: Message): string {
  return request.candidate_id as string;
}
