import { isRefusal, limits } from "#base";
import type { CreatePackRequest } from "#protos";
import { method } from "../kit/ask.ts";
import type { Directory } from "../kit/directory.ts";
import { packAddress } from "../kit/evidence.ts";
import { type Message, newRecord } from "../kit/record.ts";
import { type Pack, type PackCreation, packDigest, packKind, packMessage } from "./record.ts";
import { requirementsOf } from "./requirements.ts";

export const makePack = method<CreatePackRequest, Message>("directory", "MakeEvidencePack");

/** Packs by id. */
export const packDirectory: Directory<CreatePackRequest> = {
  kind: packKind,
  filters: ["state", "environment"],
  limit: { most: limits.evidencePacksOpenMax, many: "open evidence packs", where: { state: "open" } },
  create: {
    method: makePack.name,
    make(id, { environment_id: environment, name, labels = {}, ...asked }, context) {
      const requirements = requirementsOf(asked.requirements);
      if (isRefusal(requirements)) return requirements;
      const { tenant } = context.address;
      const settings = { tenant, environment, name, labels, requirements, state: "open" as const };
      const made: Pack = newRecord(id, { ...settings, artifacts: [], digest: "" }, context.now);
      const pack: Pack = { ...made, digest: packDigest(made, []) };
      const body: PackCreation = { type: "create", pack };
      return {
        entry: { id, name, state: "open", environment },
        message: { to: packAddress(tenant, id), body },
        answer: packMessage(pack, { receipt_count: 0, open_run_count: 0 }),
      };
    },
  },
};
