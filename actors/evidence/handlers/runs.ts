import { handleOf, RefusalError, refuse } from "#base";
import { ask } from "../../kit/ask.ts";
import { isLive } from "../../kit/live-environment.ts";
import type { Orchestration } from "../../module.ts";
import type { ModuleParts } from "../../parts.ts";
import { beginRun, type StartRequest } from "../service.ts";

export function startRun({ settings }: Pick<ModuleParts, "settings">): Orchestration {
  return async (request, call) => {
    const given = request as StartRequest;
    const { environment_id, pack_id, mode } = given;
    if (mode === "sandbox" && isLive(settings, call, environment_id))
      throw new RefusalError(
        refuse("FAILED_PRECONDITION", `${environment_id} is live: only a dry run is allowed`, {
          reason: "LIVE_ENVIRONMENT",
        }),
      );
    return ask(call, beginRun, { key: handleOf(pack_id), request: given, step: "" });
  };
}
