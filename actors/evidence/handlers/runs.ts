import { handleOf, refusalError } from "#base";
import { ask } from "../../kit/ask.ts";
import { isLive } from "../../kit/live-environment.ts";
import type { Handler } from "../../module.ts";
import type { ModuleParts } from "../../parts.ts";
import { beginRun } from "../service.ts";

export function startRun({ settings }: Pick<ModuleParts, "settings">): Handler<"EvidenceService.StartRun"> {
  return async (request, call) => {
    const { environment_id, pack_id, mode } = request;
    if (mode === "sandbox" && isLive(settings, call, environment_id))
      throw refusalError("FAILED_PRECONDITION", `${environment_id} is live: only a dry run is allowed`, {
        reason: "LIVE_ENVIRONMENT",
      });
    return ask(call, beginRun, { key: handleOf(pack_id), request, step: "" });
  };
}
