import { RefusalError, refuse } from "#base";
import { ask } from "../../kit/ask.ts";
import { type AttachPack, packAddress, promotionAddress } from "../../kit/evidence.ts";
import type { Orchestration } from "../../module.ts";

interface AttachRequest {
  readonly environment_id: string;
  readonly pack_id: string;
  readonly candidate_id: string;
}

interface Shown {
  readonly state: string;
  readonly candidate_id: string;
}

/** The promotion takes the pack and tells it so: a repeat finds it done. */
export const attachToPromotion: Orchestration = async (request, call) => {
  const { environment_id, pack_id, candidate_id } = request as AttachRequest;
  const { tenant } = call.caller;
  const look = () =>
    ask<Shown>(call, {
      to: packAddress(tenant, pack_id),
      method: "EvidenceService.GetPack",
      request: { environment_id, pack_id },
    });
  const pack = await look();
  if (pack.state === "archived" || (pack.candidate_id !== "" && pack.candidate_id !== candidate_id))
    throw new RefusalError(alreadyAttached(pack));
  const attach: AttachPack = { candidate_id, pack_id, environment: environment_id };
  const to = promotionAddress(tenant, candidate_id);
  await ask(call, { to, method: "Promotion.AttachPack", request: attach, step: "" });
  return look();
};

function alreadyAttached({ state, candidate_id }: Shown) {
  return state === "archived"
    ? refuse("STATE_CONFLICT", "the pack is archived", { extra: { state } })
    : refuse("STATE_CONFLICT", `the pack belongs to the promotion ${candidate_id}`, {
        reason: "PACK_ATTACHED",
        extra: { candidate_id },
      });
}
