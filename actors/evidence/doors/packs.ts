import { errorCodes, limits, RefusalError } from "#base";
import type { Orchestration } from "../../module.ts";
import { batchError } from "../../shared/batch.ts";
import type { PageRequest } from "../../shared/cursor.ts";
import { packAddress } from "../../shared/evidence.ts";
import { checkKnownEnvironment } from "../../shared/known-environment.ts";
import { ask, tryAsk } from "../../shared/records/ask.ts";
import { directoryOf } from "../../shared/records/directory.ts";
import { type EntityList, listEntities } from "../../shared/records/orchestrate-list.ts";
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
  /** One entity that is isolated, full or moving does not take the others' answers away. */
  without({ id, name }, refusal) {
    if (!errorCodes[refusal.code].retryable && refusal.code !== "INTERNAL") throw new RefusalError(refusal);
    return { id, name, error: batchError(refusal) };
  },
};
