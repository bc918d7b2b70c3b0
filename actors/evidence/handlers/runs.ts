import { RefusalError, refuse } from "#base";
import { ask } from "../../kit/ask.ts";
import { packAddress } from "../../kit/evidence.ts";
import { isLive } from "../../kit/live-environment.ts";
import type { Orchestration } from "../../module.ts";
import type { ModuleParts } from "../../parts.ts";

interface StartRequest {
  readonly environment_id: string;
  readonly pack_id: string;
  readonly mode: string;
}

export function startRun({ settings }: Pick<ModuleParts, "settings">): Orchestration {
  return async (request, call) => {
    const { environment_id, pack_id, mode } = request as StartRequest;
    if (mode === "sandbox" && isLive(settings, call, environment_id))
      throw new RefusalError(
        refuse("FAILED_PRECONDITION", `${environment_id} is live: only a dry run is allowed`, {
          reason: "LIVE_ENVIRONMENT",
        }),
      );
    const to = packAddress(call.caller.tenant, pack_id);
    return ask(call, { to, method: "EvidencePack.StartRun", request, step: "" });
  };
}
