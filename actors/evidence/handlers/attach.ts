import { handleOf, RefusalError, refuse } from "#base";
import { ask } from "../../kit/ask.ts";
import { attachPack, getPack } from "../../kit/evidence.ts";
import type { Handler } from "../../module.ts";

/** The promotion takes the pack and tells it so: a repeat finds it done. */
export const attachToPromotion: Handler<"EvidenceService.AttachToPromotion"> = async (request, call) => {
  const { environment_id, pack_id, candidate_id } = request;
  const look = () => ask(call, getPack, { key: handleOf(pack_id), request: { environment_id, pack_id } });
  const pack = await look();
  if (pack.state === "archived" || (pack.candidate_id !== "" && pack.candidate_id !== candidate_id))
    throw new RefusalError(alreadyAttached(pack));
  const attach = { candidate_id, pack_id, environment: environment_id };
  await ask(call, attachPack, { key: handleOf(candidate_id), request: attach, step: "" });
  return look();
};

function alreadyAttached({ state, candidate_id }: { readonly state: string; readonly candidate_id: string }) {
  return state === "archived"
    ? refuse("STATE_CONFLICT", "the pack is archived", { extra: { state } })
    : refuse("STATE_CONFLICT", `the pack belongs to the promotion ${candidate_id}`, {
        reason: "PACK_ATTACHED",
        extra: { candidate_id },
      });
}
