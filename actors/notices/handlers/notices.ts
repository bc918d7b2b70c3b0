import { limits } from "#base";
import { ask, tryAsk } from "../../kit/ask.ts";
import type { PageRequest } from "../../kit/cursor.ts";
import { type EntityList, listEntities } from "../../kit/entity-list.ts";
import type { Orchestration } from "../../module.ts";
import { noticeAddress } from "../../notify/address.ts";
import { templatesOf } from "../../notify/notice.ts";
import type { CheckTemplatesRequest } from "../../notify/outbound/types.ts";
import type { ModuleParts } from "../../parts.ts";
import type { NoticeGiven } from "../record.ts";

export function noticeMethods({ call: callModule }: Pick<ModuleParts, "call">) {
  /** Templates are compiled where they are rendered; what does not compile is refused by field. */
  const putNotice: Orchestration = async (request, call) => {
    const given = request as NoticeGiven;
    const templates = templatesOf(given, (channel) => `channels["${channel}"]`);
    const { tenant, subject, requestId } = call.caller;
    if (templates.length > 0)
      await callModule("Layouts.Check", { templates } satisfies CheckTemplatesRequest, {
        tenant,
        subject,
        key: requestId,
      });
    const to = noticeAddress(tenant, given.workflow_key);
    return ask(call, { to, method: "NoticeService.PutNotice", request, step: "" });
  };

  return {
    "NoticeService.PutNotice": putNotice,
    "NoticeService.ListNotices": listNotices,
  };
}

const listNotices: Orchestration = async (request, call) => {
  const page = await listEntities(notices, { ...(request as PageRequest), filter: {} }, call);
  const { values, ...rest } = page;
  return { workflows: values, ...rest };
};

const notices: EntityList = {
  kind: "notice",
  atOnce: limits.topicsAskedAtOnce,
  ask: (id, call) =>
    tryAsk(call, {
      to: noticeAddress(call.caller.tenant, id),
      method: "NoticeService.GetNotice",
      request: { workflow_key: id },
    }),
};
