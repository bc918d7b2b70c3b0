import { limits } from "#base";
import { ask, askAs, contractMethod, tryAsk } from "../../kit/ask.ts";
import { listing } from "../../kit/entity-list.ts";
import type { Handlers } from "../../module.ts";
import { templatesOf } from "../../notify/notice.ts";
import { checkTemplates } from "../../notify/outbound/methods.ts";
import type { ModuleParts } from "../../parts.ts";

const put = contractMethod("notice", "NoticeService.PutNotice");
const get = contractMethod("notice", "NoticeService.GetNotice");

export function noticeMethods({ call: callModule }: Pick<ModuleParts, "call">): Handlers {
  return {
    /** Templates are compiled where they are rendered; what does not compile is refused by field. */
    "NoticeService.PutNotice": async (request, call) => {
      const templates = templatesOf(request, (channel) => `channels["${channel}"]`);
      const { tenant, subject, requestId: key } = call.caller;
      if (templates.length > 0)
        await askAs(callModule, checkTemplates, { request: { templates } }, { tenant, subject, key });
      return ask(call, put, { key: request.workflow_key, request, step: "" });
    },
    "NoticeService.ListNotices": listNotices,
  };
}

const listNotices = listing({
  kind: "notice",
  many: "workflows",
  atOnce: limits.topicsAskedAtOnce,
  ask: (id, call) => tryAsk(call, get, { key: id, request: { workflow_key: id } }),
});
