import { handleOf, limits } from "#base";
import { ask, tryAsk } from "../../kit/ask.ts";
import { listing } from "../../kit/entity-list.ts";
import { checkKnownEnvironment } from "../../kit/known-environment.ts";
import type { Handler } from "../../module.ts";
import { makePack } from "../directory.ts";
import { packKind } from "../record.ts";
import { findPack } from "../service.ts";

export const createPack: Handler<"EvidenceService.CreatePack"> = async (request, call) => {
  checkKnownEnvironment(request.environment_id, call);
  return ask(call, makePack, { key: packKind, request, step: "" });
};

export const listPacks = listing({
  kind: packKind,
  many: "packs",
  filters: { state: "state", environment: "environment_id" },
  atOnce: limits.evidencePacksAskedAtOnce,
  ask: (id, call) => tryAsk(call, findPack, { key: handleOf(id), request: { pack_id: id } }),
});
