import { handleOf, isRefusal, limits } from "#base";
import type { Directory } from "../../kit/directory.ts";
import { environmentFor } from "../../kit/environment.ts";
import { newRecord } from "../../kit/record.ts";
import { type Installed, problemsOf } from "../body/check.ts";
import { type DefinitionCreation, definitionKind, definitionMessage, tooLarge } from "./record.ts";
import { type CreateRequest, createDefinition } from "./service.ts";

/** Definitions by id; their keys are the unique names. */
export const definitionDirectory = (installed: Installed): Directory<CreateRequest> => ({
  kind: definitionKind,
  filters: ["status", "environment"],
  uniqueName: true,
  limit: { most: limits.workflowDefinitionsMax, many: "workflow definitions" },
  create: {
    method: createDefinition.name,
    make(id, { key, name = key, draft = {} }, context) {
      const found = environmentFor(context.caller);
      if (isRefusal(found)) return found;
      const large = tooLarge(draft);
      if (large) return large;
      const { tenant } = context.address;
      const problems = problemsOf(draft, installed);
      const settings = { key, name, archived: false, draft, problems, active: 0, latest: 0, digest: "" };
      const record = newRecord(id, { ...settings, tenant, ...found }, context.now);
      const body: DefinitionCreation = { type: "create", definition: record };
      const to = { kind: definitionKind, tenant, key: handleOf(id) };
      const entry = { id, name: key, status: "draft", ...found };
      return { entry, message: { to, body }, answer: definitionMessage(record) };
    },
  },
});
