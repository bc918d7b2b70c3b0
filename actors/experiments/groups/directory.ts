import { isRefusal, limits } from "#base";
import type { CreateExperimentGroupRequest } from "#protos";
import type { Directory } from "../../kit/directory.ts";
import { environmentFor } from "../../kit/environment.ts";
import { newRecord } from "../../kit/record.ts";
import { groupAddress } from "../record.ts";
import type { GroupMessage } from "./decide.ts";
import { type GroupRecord, groupMessage } from "./state.ts";

export const groupDirectory: Directory<CreateExperimentGroupRequest> = {
  kind: "experiment_group",
  filters: ["environment"],
  limit: { most: limits.experimentGroupsMax, many: "experiment groups" },
  create: {
    method: "ExperimentGroupService.CreateExperimentGroup",
    make(id, { name }, context) {
      const found = environmentFor(context.caller);
      if (isRefusal(found)) return found;
      const { environment } = found;
      const { tenant } = context.address;
      const group: GroupRecord = newRecord(id, { name, tenant, environment, ranges: [] }, context.now);
      const body: GroupMessage = { type: "create", group };
      const message = { to: groupAddress(tenant, id), body };
      return { entry: { id, name, environment }, message, answer: groupMessage(group) };
    },
  },
};
