import { handleOf, isRefusal, limits, RefusalError } from "#base";
import type { DuplicateDefinitionRequest, ListDefinitionsRequest } from "#protos";
import { ask, askAs, tryAsk } from "../../../kit/ask.ts";
import { findInDirectory, listEntries } from "../../../kit/entity-list.ts";
import type { Message } from "../../../kit/record.ts";
import type { CallContext, Handlers } from "../../../module.ts";
import { checkTemplates } from "../../../notify/outbound/methods.ts";
import type { ModuleParts } from "../../../parts.ts";
import { lacking, neededBy, templatesIn } from "../publish.ts";
import { definitionKind, digestOf } from "../record.ts";
import { activate, createDefinition, getBrief, getDefinition, getVersion, publishDraft } from "../service.ts";

export function definitionOrchestrations({ call: callModule }: Pick<ModuleParts, "call">): Handlers {
  return {
    "WorkflowDefinitionService.DuplicateDefinition": duplicate,
    "WorkflowDefinitionService.ListDefinitions": list,
    /** As for publishing: from now on runs do what the version says. */
    async "WorkflowDefinitionService.ActivateVersion"({ id, version }, call) {
      const asked = { key: handleOf(id), request: { id, version } };
      const { body } = await ask(call, getVersion, asked);
      checkPermissions(body, "body", call);
      return ask(call, activate, { ...asked, step: "" });
    },
    /** The publisher needs the permissions of all steps: a run has no caller whose permissions could be asked. */
    async "WorkflowDefinitionService.PublishDefinition"(given, call) {
      const key = handleOf(given.id);
      const { draft } = await ask(call, getDefinition, { key, request: { id: given.id } });
      checkPermissions(draft, "draft", call);
      const templates = templatesIn(draft);
      const { tenant, subject, requestId } = call.caller;
      const as = { tenant, subject, key: requestId };
      if (templates.length > 0) await askAs(callModule, checkTemplates, { request: { templates } }, as);
      return ask(call, publishDraft, { key, request: { ...given, digest: digestOf(draft) }, step: "" });
    },
  };
}

function checkPermissions(body: Message, at: string, call: CallContext): void {
  const missing = neededBy(body).filter(({ permission }) => !call.may(permission));
  if (missing.length > 0) throw new RefusalError(lacking(missing, at));
}

async function duplicate(
  { id, key: wanted }: DuplicateDefinitionRequest,
  call: CallContext,
): Promise<Message> {
  const question = { key: handleOf(id), request: { id } };
  const { key, name, draft, environment } = await ask(call, getDefinition, question);
  const copy = { key: wanted ?? shortened(key, "_copy", 128), name: shortened(name, " (copy)", 200), draft };
  const inSame = { ...call, caller: { ...call.caller, environment } };
  return ask(inSame, createDefinition, { key: definitionKind, request: copy, step: "" });
}

async function list({ status, key, ...paging }: ListDefinitionsRequest, call: CallContext): Promise<Message> {
  if (key !== undefined) return withKey(key, call);
  const page = await listEntries({ ...paging, filter: { status } }, call, definitionKind);
  const definitions: Message[] = [];
  for (let from = 0; from < page.entries.length; from += limits.workflowsAskedAtOnce) {
    const asked = page.entries.slice(from, from + limits.workflowsAskedAtOnce);
    const briefs = asked.map(({ id }) => ask(call, getBrief, { key: handleOf(id), request: { id } }));
    definitions.push(...(await Promise.all(briefs)));
  }
  return { definitions, next_page_token: page.next_page_token, total: page.total };
}

/** The id of the definition with this key, or nothing. */
export async function findDefinition(key: string, call: CallContext): Promise<string | undefined> {
  return (await ask(call, findInDirectory, { key: definitionKind, request: { name: key } })).id ?? undefined;
}

async function withKey(key: string, call: CallContext): Promise<Message> {
  const id = await findDefinition(key, call);
  const answer = id && (await tryAsk(call, getBrief, { key: handleOf(id), request: { id } }));
  const definitions = !answer || isRefusal(answer) ? [] : [answer.response];
  return { definitions, next_page_token: "", total: definitions.length };
}

/** With its ending, within a length. */
function shortened(text: string, ending: string, most: number): string {
  return text.slice(0, most - ending.length) + ending;
}
