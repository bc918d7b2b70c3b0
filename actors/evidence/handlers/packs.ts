import { handleOf, limits } from "#base";
import { ask, tryAsk } from "../../kit/ask.ts";
import { type EntityList, listEntities } from "../../kit/entity-list.ts";
import { checkKnownEnvironment } from "../../kit/known-environment.ts";
import type { PageRequest } from "../../kit/list.ts";
import type { Orchestration } from "../../module.ts";
import { type CreateRequest, makePack } from "../directory.ts";
import { packKind } from "../record.ts";
import { findPack } from "../service.ts";

export const createPack: Orchestration = async (request, call) => {
  const given = request as CreateRequest;
  checkKnownEnvironment(given.environment_id, call);
  return ask(call, makePack, { key: packKind, request: given, step: "" });
};

interface ListRequest extends PageRequest {
  readonly state?: string;
  readonly environment_id?: string;
}

export const listPacks: Orchestration = async (request, call) => {
  const { state, environment_id: environment, ...paging } = request as ListRequest;
  const { values, ...page } = await listEntities(packs, { ...paging, filter: { state, environment } }, call);
  return { packs: values, ...page };
};

const packs: EntityList = {
  kind: packKind,
  atOnce: limits.evidencePacksAskedAtOnce,
  ask: (id, call) => tryAsk(call, findPack, { key: handleOf(id), request: { pack_id: id } }),
};
