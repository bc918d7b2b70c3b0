import { limits } from "#base";
import { ask, askAs, contractMethod, tryAsk } from "../../kit/ask.ts";
import { type EntityList, listEntities } from "../../kit/entity-list.ts";
import type { PageRequest } from "../../kit/list.ts";
import type { Orchestration } from "../../module.ts";
import { templatesOf } from "../../notify/notice.ts";
import { checkTemplates } from "../../notify/outbound/methods.ts";
import type { ModuleParts } from "../../parts.ts";
import type { NoticeGiven } from "../record.ts";

const put = contractMethod<NoticeGiven, unknown>("notice", "NoticeService.PutNotice");
const get = contractMethod<{ readonly workflow_key: string }, object>("notice", "NoticeService.GetNotice");

export function noticeMethods({ call: callModule }: Pick<ModuleParts, "call">) {
  /** Templates are compiled where they are rendered; what does not compile is refused by field. */
  const putNotice: Orchestration = async (request, call) => {
    const given = request as NoticeGiven;
    const templates = templatesOf(given, (channel) => `channels["${channel}"]`);
    const { tenant, subject, requestId } = call.caller;
    if (templates.length > 0)
      await askAs(
        callModule,
        checkTemplates,
        { request: { templates } },
        { tenant, subject, key: requestId },
      );
    return ask(call, put, { key: given.workflow_key, request: given, step: "" });
  };

  return {
    [put.name]: putNotice,
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
  ask: (id, call) => tryAsk(call, get, { key: id, request: { workflow_key: id } }),
};
