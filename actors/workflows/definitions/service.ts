import { handleOf, isRefusal, limits, RefusalError } from "#base";
import type { Address, EntityMethod } from "#runtime";
import { ask, tryAsk } from "../../kit/ask.ts";
import type { PageRequest } from "../../kit/cursor.ts";
import { directoryOf } from "../../kit/directory.ts";
import { findInDirectory, listEntries } from "../../kit/entity-list.ts";
import { answered, versionOf } from "../../kit/methods.ts";
import type { Message } from "../../kit/record.ts";
import type { CallContext, Orchestration } from "../../module.ts";
import type { ModuleParts } from "../../parts.ts";
import type { Command } from "./decide.ts";
import { lacking, neededBy, templatesIn } from "./publish.ts";
import { digestOf } from "./record.ts";
import type { Event, State } from "./state.ts";

type Method = EntityMethod<State, Command, Event>;

const service = "WorkflowDefinitionService";
const idOf = (request: Message) => request.id as string;

export const definitionMethods: Readonly<Record<string, Method>> = {
  [`${service}.GetDefinition`]: answered((request) => ({ type: "get", id: idOf(request), whole: true })),
  [`${service}.PatchDraft`]: answered((request) => ({ type: "patch", id: idOf(request), given: request })),
  [`${service}.PublishDefinition`]: answered((request) => ({
    type: "publish",
    id: idOf(request),
    activate: request.activate !== false,
    digest: request.digest as string,
    ...versionOf(request),
  })),
  [`${service}.ArchiveDefinition`]: answered((request) => ({ type: "archive", id: idOf(request) })),
  [`${service}.RestoreDefinition`]: answered((request) => ({ type: "restore", id: idOf(request) })),
  [`${service}.ActivateVersion`]: answered((request) => ({
    type: "activate",
    id: idOf(request),
    version: request.version as number,
  })),
  [`${service}.ListVersions`]: answered((request) => ({
    type: "list_versions",
    id: idOf(request),
    request: request as PageRequest,
  })),
  [`${service}.GetVersion`]: answered((request) => ({
    type: "get_version",
    id: idOf(request),
    version: request.version as number,
  })),
  /** As lists show it. */
  "WorkflowDefinition.Brief": answered((request) => ({ type: "get", id: idOf(request), whole: false })),
  /** What a run begins with. */
  "WorkflowDefinition.Pin": answered((request) => ({
    type: "pin",
    id: idOf(request),
    version: (request.version as number | undefined) ?? 0,
    key: (request.run_key as string | undefined) ?? "",
  })),
  /** What a promotion has to know of a version. */
  "WorkflowDefinition.DescribeVersion": answered((request) => ({
    type: "describe_version",
    id: idOf(request),
    version: request.version as number,
  })),
};

export function definitionOrchestrations({
  call: callModule,
}: Pick<ModuleParts, "call">): Readonly<Record<string, Orchestration>> {
  return {
    ...shared,
    /** As for publishing: from now on runs do what the version says. */
    async [`${service}.ActivateVersion`](request, call) {
      const { id, version } = request as { id: string; version: number };
      const to = definitionAt(call.caller.tenant, id);
      const asked = { to, method: `${service}.GetVersion`, request: { id, version } };
      const { body } = await ask<{ readonly body: Message }>(call, asked);
      checkPermissions(body, "body", call);
      return ask(call, { to, method: `${service}.ActivateVersion`, request, step: "" });
    },
    /** The publisher needs the permissions of all steps: a run has no caller whose permissions could be asked. */
    async [`${service}.PublishDefinition`](request, call) {
      const { id } = request as { id: string };
      const { draft } = await getDefinition(id, call);
      checkPermissions(draft, "draft", call);
      const templates = templatesIn(draft);
      const { tenant, subject, requestId } = call.caller;
      if (templates.length > 0)
        await callModule("Layouts.Check", { templates }, { tenant, subject, key: requestId });
      return ask(call, {
        to: definitionAt(tenant, id),
        method: `${service}.PublishDefinition`,
        request: { ...(request as Message), digest: digestOf(draft) },
        step: "",
      });
    },
  };
}

function checkPermissions(body: Message, at: string, call: CallContext): void {
  const missing = neededBy(body).filter(({ permission }) => !call.may(permission));
  if (missing.length > 0) throw new RefusalError(lacking(missing, at));
}

const shared: Readonly<Record<string, Orchestration>> = {
  async [`${service}.DuplicateDefinition`](request, call) {
    const asked = request as { id: string; key?: string };
    const { key, name, draft, environment } = await getDefinition(asked.id, call);
    return ask(
      { ...call, caller: { ...call.caller, environment } },
      {
        to: directoryOf(call.caller.tenant, "workflow_definition"),
        method: `${service}.CreateDefinition`,
        request: {
          key: asked.key ?? shortened(key, "_copy", 128),
          name: shortened(name, " (copy)", 200),
          draft,
        },
        step: "",
      },
    );
  },

  async [`${service}.ListDefinitions`](request, call) {
    const { status, key, ...paging } = request as PageRequest & { status?: string; key?: string };
    if (key !== undefined) return withKey(key, call);
    const filter = status === undefined ? {} : { status };
    const page = await listEntries({ ...paging, filter }, call, "workflow_definition");
    const definitions: unknown[] = [];
    for (let from = 0; from < page.entries.length; from += limits.workflowsAskedAtOnce) {
      const asked = page.entries.slice(from, from + limits.workflowsAskedAtOnce);
      definitions.push(...(await Promise.all(asked.map(({ id }) => brief(id, call)))));
    }
    return { definitions, next_page_token: page.next_page_token, total: page.total };
  },
};

export function definitionAt(tenant: string, id: string): Address {
  return { kind: "workflow_definition", tenant, key: handleOf(id) };
}

/** The id of the definition with this key, or nothing. */
export async function findDefinition(key: string, call: CallContext): Promise<string | undefined> {
  const question = { key: "workflow_definition", request: { name: key } };
  return (await ask(call, findInDirectory, question)).id ?? undefined;
}

async function withKey(key: string, call: CallContext): Promise<Message> {
  const id = await findDefinition(key, call);
  const answer = id === undefined ? undefined : await tryBrief(id, call);
  const definitions = answer === undefined || isRefusal(answer) ? [] : [answer.response];
  return { definitions, next_page_token: "", total: definitions.length };
}

function tryBrief(id: string, call: CallContext) {
  const to = definitionAt(call.caller.tenant, id);
  return tryAsk(call, { to, method: "WorkflowDefinition.Brief", request: { id } });
}

interface Shown {
  readonly key: string;
  readonly name: string;
  readonly environment: string;
  readonly draft: Message;
}

function getDefinition(id: string, call: CallContext): Promise<Shown> {
  const to = definitionAt(call.caller.tenant, id);
  return ask(call, { to, method: `${service}.GetDefinition`, request: { id } });
}

function brief(id: string, call: CallContext): Promise<unknown> {
  const to = definitionAt(call.caller.tenant, id);
  return ask(call, { to, method: "WorkflowDefinition.Brief", request: { id } });
}

/** With its ending, within a length. */
function shortened(text: string, ending: string, most: number): string {
  return text.slice(0, most - ending.length) + ending;
}
