import { isRefusal, limits } from "#base";
import { method } from "../kit/ask.ts";
import type { Directory } from "../kit/directory.ts";
import { packAddress } from "../kit/evidence.ts";
import { type Message, newRecord } from "../kit/record.ts";
import { type Pack, type PackCreation, packDigest, packKind, packMessage } from "./record.ts";
import { type PackSettings, requirementsOf } from "./requirements.ts";

export interface CreateRequest extends PackSettings {
  readonly environment_id: string;
}

export const makePack = method<CreateRequest, Message>("directory", "MakeEvidencePack");

/** Packs by id. */
export const packDirectory: Directory = {
  kind: packKind,
  filters: ["state", "environment"],
  limit: { most: limits.evidencePacksOpenMax, many: "open evidence packs", where: { state: "open" } },
  create: {
    method: makePack.name,
    make(id, request, context) {
      const { environment_id: environment, name, labels = {}, ...asked } = request as CreateRequest;
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
      };
    },
    respond: ({ message }) => packMessage((message.body as PackCreation).pack, { receipts: 0, openRuns: 0 }),
  },
};
