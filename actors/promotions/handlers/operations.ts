import { handleOf, isRefusal, RefusalError } from "#base";
import type { Answer } from "#runtime";
import { ask, questionOf, tryAsk } from "../../kit/ask.ts";
import { promotionAddress } from "../../kit/evidence.ts";
import { tenantSetting } from "../../kit/tenant-setting.ts";
import type { Handler, Module, Question } from "../../module.ts";
import type { ModuleParts } from "../../parts.ts";
import { type CandidateRef, decideApproval, getBrief } from "../service.ts";

type Parts = Pick<ModuleParts, "settings" | "metrics">;

const operations = [
  "Preflight",
  "EvaluateGuardrails",
  "StartCanary",
  "StopCanary",
  "Promote",
  "Rollback",
  "Abort",
] as const;

/** Each is one question to the candidate; what came of it is counted. */
export function operationMethods(parts: Parts): NonNullable<Module["orchestrations"]> {
  const counted = operations.map((name) => [`PromotionService.${name}`, operation(name, parts)] as const);
  return { ...Object.fromEntries(counted), "PromotionService.Approve": approve(parts) };
}

function operation(name: string, { metrics }: Parts): Question<CandidateRef> {
  const question = questionOf(`PromotionService.${name}`, (request: CandidateRef, call) => ({
    to: promotionAddress(call.caller.tenant, request.candidate_id),
    request,
  }));
  return {
    ask: question.ask,
    read(answer, request, call) {
      count(metrics, name, answer);
      return question.read(answer, request, call);
    },
  };
}

function count(metrics: Parts["metrics"], operation: string, answer: Answer): void {
  metrics.add("service_promotions_total", { operation, result: isRefusal(answer) ? answer.code : "ok" });
}

/** With whether the environment asks for evidence, as the tenant's settings say now. */
function approve({ settings, metrics }: Parts): Handler<"PromotionService.Approve"> {
  return async (given, call) => {
    const { candidate_id } = given;
    const key = handleOf(candidate_id);
    const { environment_id } = await ask(call, getBrief, { key, request: { candidate_id } });
    const mode = settings["promotion.evidence_required"] ?? "none";
    const live =
      tenantSetting<readonly string[] | undefined>(settings, call, "promotion.live_environments") ?? [];
    const evidence_required = mode === "all" || (mode === "live" && live.includes(environment_id));
    const asked = { ...given, evidence_required };
    const answer = await tryAsk(call, decideApproval, { key, request: asked, step: "" });
    count(metrics, "Approve", answer);
    if (isRefusal(answer)) throw new RefusalError(answer);
    return answer.response;
  };
}
