import { isRefusal, limits } from "#base";
import type { CreateExperimentRequest } from "#protos";
import type { Directory } from "../kit/directory.ts";
import { environmentFor } from "../kit/environment.ts";
import { newRecord } from "../kit/record.ts";
import {
  type ExperimentCreation,
  type ExperimentRecord,
  experimentAddress,
  experimentMessage,
} from "./record.ts";
import { settingsOf } from "./settings.ts";

/** Experiments by id; the name of an entry is the experiment's key. Its secret makes unit keys and receipts. */
export const experimentDirectory: Directory<CreateExperimentRequest> = {
  kind: "experiment",
  filters: ["status", "environment"],
  uniqueName: true,
  limit: { most: limits.experimentsMax, many: "experiments" },
  create: {
    method: "ExperimentService.CreateExperiment",
    make(id, given, context) {
      const found = environmentFor(context.caller);
      if (isRefusal(found)) return found;
      const settings = settingsOf(given, id);
      if (isRefusal(settings)) return settings;
      const { tenant } = context.address;
      const owned = { ...settings, tenant, environment: found.environment, key: given.key };
      const record: ExperimentRecord = newRecord(
        id,
        { ...owned, status: "draft" as const, phases: [] },
        context.now,
      );
      const body: ExperimentCreation = { type: "create", record };
      const entry = { id, name: given.key, status: "draft", environment: found.environment };
      const message = { to: experimentAddress(tenant, id), body };
      return { entry, message, answer: experimentMessage(record, undefined) };
    },
  },
};
