import { limits } from "#base";
import { ask, tryAsk } from "../../kit/ask.ts";
import type { PageRequest } from "../../kit/cursor.ts";
import { directoryOf } from "../../kit/directory.ts";
import { type EntityList, listEntities } from "../../kit/entity-list.ts";
import { packAddress } from "../../kit/evidence.ts";
import { checkKnownEnvironment } from "../../kit/known-environment.ts";
import type { Orchestration } from "../../module.ts";
import { packKind } from "../record.ts";

export const createPack: Orchestration = async (request, call) => {
  checkKnownEnvironment((request as { readonly environment_id: string }).environment_id, call);
  const to = directoryOf(call.caller.tenant, packKind);
  return ask(call, { to, method: "EvidencePack.Create", request, step: "" });
};

interface ListRequest extends PageRequest {
  readonly state?: string;
  readonly environment_id?: string;
}

export const listPacks: Orchestration = async (request, call) => {
  const { state, environment_id: environment, ...paging } = request as ListRequest;
  const filter = {
    ...(state !== undefined && { state }),
    ...(environment !== undefined && { environment }),
  };
  const { values, ...page } = await listEntities(packs, { ...paging, filter }, call);
  return { packs: values, ...page };
};

const packs: EntityList = {
  kind: packKind,
  atOnce: limits.evidencePacksAskedAtOnce,
  ask: (id, call) =>
    tryAsk(call, {
      to: packAddress(call.caller.tenant, id),
      method: "EvidencePack.Get",
      request: { pack_id: id },
    }),
};
