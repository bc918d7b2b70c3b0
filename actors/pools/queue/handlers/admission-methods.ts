import type { PageRequest } from "../../../kit/list.ts";
import type { RouterView } from "../../router.ts";
import type { ClearGroup } from "../commands/clear-group.ts";
import { findGroup } from "../memory/derived.ts";
import { GroupViews } from "../reads/group-view.ts";
import { groupMessage } from "../reads/message.ts";
import { view } from "../reads/view.ts";
import { type GroupKind, nameOfGroup } from "../rows/group.ts";
import { type Methods, poolIdOf, readMethod } from "./method.ts";
import { enqueueOf, type ItemRequest, pageOf } from "./request.ts";

export const admissionMethods: Methods = {
  "AdmissionService.PreviewAdmission": readMethod((request: ItemRequest) => ({
    type: "preview",
    enqueue: enqueueOf(request, [request], true),
  })),
  "AdmissionService.ExplainAdmission": readMethod((request: { queue_item_id: string }) => ({
    type: "explain",
    id: request.queue_item_id,
  })),
  "AdmissionService.ListAdmissionGroups": readMethod(
    (request: PageRequest & { constraint_kind?: GroupKind; status?: string; environment?: string }) => ({
      type: "list_groups",
      page: pageOf(request),
      environment: request.environment ?? "",
      kind: request.constraint_kind ?? "",
      status: request.status ?? "",
    }),
  ),
  "AdmissionService.GetAdmissionGroup": readMethod(
    (request: { constraint_kind: GroupKind; group_id: string }) => ({
      type: "get_group",
      kind: request.constraint_kind,
      groupId: request.group_id,
    }),
  ),
  "AdmissionService.ClearAdmissionGroup": {
    command: (request) => {
      const { constraint_kind, group_id, reason } = request as Record<string, string>;
      return {
        type: "clear_group",
        poolId: poolIdOf(request),
        kind: constraint_kind as GroupKind,
        groupId: group_id!,
        reason: reason ?? "",
      };
    },
    respond: (state, events, command, context) => {
      const { kind, groupId, reason } = command as ClearGroup;
      if (events.length === 0) return view(state, { type: "get_group", kind, groupId }, context);
      const groupName = nameOfGroup(kind, groupId);
      // A throttle keeps its row, which the command has just set; of the others nothing is left.
      const group = findGroup(state, context, groupName) ?? null;
      const cleared = [context.now, context.caller?.subject ?? "", reason] as const;
      const now = new GroupViews(state, context).of(groupName, group, cleared);
      return groupMessage(context.twin<RouterView>("router"), now);
    },
  },
};
