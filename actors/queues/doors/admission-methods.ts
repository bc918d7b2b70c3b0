import { toRfc3339 } from "#base";
import type { PageRequest } from "../../shared/cursor.ts";
import type { RouterView } from "../../shared/router.ts";
import type { ClearGroup } from "../commands/clear-group.ts";
import type { GroupKind } from "../rows/group.ts";
import { inPool, listMethod, type Methods, viewMethod } from "./method.ts";
import { enqueueOf, type ItemRequest, pageOf } from "./request.ts";

export const admissionMethods: Methods = {
  "AdmissionService.PreviewAdmission": viewMethod((request: ItemRequest) => ({
    type: "preview",
    enqueue: enqueueOf(request, [request], true),
  })),
  "AdmissionService.ExplainAdmission": viewMethod((request: { queue_item_id: string }) => ({
    type: "explain",
    id: request.queue_item_id,
  })),
  "AdmissionService.ListAdmissionGroups": listMethod(
    (request: PageRequest & { constraint_kind?: GroupKind; status?: string; environment?: string }) => ({
      type: "list_groups",
      page: pageOf(request),
      environment: request.environment ?? "",
      kind: request.constraint_kind ?? "",
      status: request.status ?? "",
    }),
  ),
  "AdmissionService.GetAdmissionGroup": viewMethod(
    (request: { constraint_kind: GroupKind; group_id: string }) => ({
      type: "get_group",
      kind: request.constraint_kind,
      groupId: request.group_id,
    }),
  ),
  "AdmissionService.ClearAdmissionGroup": {
    command: (request) => {
      const { constraint_kind, group_id, reason } = request as Record<string, string>;
      return inPool(request, {
        type: "clear_group",
        kind: constraint_kind as GroupKind,
        groupId: group_id!,
        reason: reason ?? "",
      });
    },
    respond: (_state, _events, command, context) => {
      const { kind, groupId, reason } = command as ClearGroup;
      const { poolId, environment } = context.twin<RouterView>("router");
      return {
        constraint_kind: kind,
        group_id: groupId,
        pool_id: poolId,
        environment,
        status: "cleared",
        cleared_at: toRfc3339(context.now),
        cleared_by: context.caller?.subject ?? "",
        clear_reason: reason,
      };
    },
  },
};
