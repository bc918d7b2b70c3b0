import { digestOf as contentDigestOf, isRefusal, limits, type Refusal, refuse } from "#base";
import type {
  GetVersionRequest,
  ListVersionsRequest,
  PatchDraftRequest,
  PublishDefinitionRequest,
} from "#protos";
import type { Context, Decision } from "#runtime";
import type { ActivationMessage, VersionFacts } from "../../kit/activation.ts";
import { versionFor } from "../../kit/activation-record.ts";
import type { EntityPurge } from "../../kit/directory.ts";
import { checkEnvironment } from "../../kit/environment.ts";
import { listed } from "../../kit/list.ts";
import { limitReached, type Message, updatedSettings } from "../../kit/record.ts";
import { checkVersion } from "../../kit/version.ts";
import type { Body } from "../body/body.ts";
import { type Installed, problemsOf } from "../body/check.ts";
import { decideActivation, refuseDirect } from "./activation.ts";
import { changedWith } from "./changed.ts";
import {
  type Definition,
  type DefinitionCreation,
  definitionMessage,
  digestOf,
  tooLarge,
  type Version,
  versionMessage,
} from "./record.ts";
import { type Event, type State, type VersionEntry, versionId, versions } from "./state.ts";

export type Command =
  | DefinitionCreation
  | EntityPurge
  | { readonly type: "get" | "get_brief" | "archive" | "restore"; readonly id: string }
  | (PatchDraftRequest & { readonly type: "patch" })
  | Publish
  /** `describe_version`: what a candidate has to know of it. */
  | (GetVersionRequest & { readonly type: "activate" | "get_version" | "describe_version" })
  | (ListVersionsRequest & { readonly type: "list_versions" })
  | ActivationMessage
  | Pin;

export interface Publish extends PublishDefinitionRequest {
  readonly type: "publish";
  /** Of the draft whose permissions were asked for. */
  readonly digest: string;
}

/** For a run that begins. */
export interface Pin {
  readonly type: "pin";
  readonly id: string;
  /** Absent: the active one, or that of a canary which has this key. */
  readonly version?: number;
  readonly run_key?: string;
}

/** What a run begins with. */
export interface Pinned {
  readonly definition: Pick<Definition, "id" | "key" | "environment">;
  readonly version: number;
  readonly body: Body;
}

/** Every decision for a caller has its `answer`. */
export function decideWith(installed: Installed) {
  return (state: State, command: Command, context: Context) => decide(state, command, context, installed);
}

function decide(state: State, command: Command, context: Context, installed: Installed): Decision<Event> {
  if (command.type === "create")
    return { events: state.definition ? [] : [{ type: "put", definition: command.definition }] };
  if (command.type === "purge") return { events: [{ type: "purged", id: command.id }], frees: true };
  if (command.type === "activation") return decideActivation(state, command, context);
  const { definition } = state;
  if (definition?.id !== command.id) return refuse("NOT_FOUND", "there is no such workflow definition");
  const foreign = checkEnvironment(definition.environment, context.caller);
  if (foreign) return foreign;
  switch (command.type) {
    case "get":
    case "get_brief":
      return { events: [], answer: definitionMessage(definition, command.type === "get") };
    case "patch":
      return patch(definition, command, context.now, installed);
    case "publish":
      return publish(definition, command, context, installed);
    case "archive":
      return refuseDirect(definition) ?? change(definition, { ...definition, archived: true }, context.now);
    case "restore":
      return restore(definition, context);
    case "activate":
      if (command.version > definition.latest) return noVersion(definition, command.version);
      return (
        archivedOf(definition) ??
        refuseDirect(definition) ??
        changeTo(definition, { ...definition, active: command.version }, context)
      );
    case "list_versions": {
      const show = (version: Version) => versionMessage(definition.id, version, false);
      return listed("versions", versions.page(state.counts, { request: command }, show, context));
    }
    case "get_version":
    case "describe_version": {
      const version = versionOf(definition, command.version, context);
      if (isRefusal(version)) return version;
      const whole = command.type === "get_version";
      const answer = whole ? versionMessage(definition.id, version, true) : factsOf(version);
      return { events: [], answer };
    }
    case "pin":
      return pin(definition, command, context);
  }
}

function factsOf({ body, owner }: Version): VersionFacts {
  return { kind: "workflow", digest: contentDigestOf(body), owner };
}

function patch(
  definition: Definition,
  given: PatchDraftRequest,
  now: number,
  installed: Installed,
): Decision<Event> {
  const archived = archivedOf(definition);
  if (archived) return archived;
  const { name, draft } = definition;
  const changed = updatedSettings(
    definition,
    { name, draft },
    { ...given },
    {
      fields: ["name", "draft"],
      required: ["name"],
    },
  );
  if (isRefusal(changed)) return changed;
  const next = changed as { readonly name: string; readonly draft?: Message };
  const { draft: settled = {} } = next;
  const problems = problemsOf(settled, installed);
  return tooLarge(settled) ?? change(definition, { ...definition, ...next, draft: settled, problems }, now);
}

/** An unchanged draft is the version that it was. */
function publish(
  definition: Definition,
  { activate = true, record_version: seen, digest: asked }: Publish,
  context: Context,
  installed: Installed,
): Decision<Event> {
  const conflict =
    archivedOf(definition) ??
    checkVersion(definition.recordVersion, seen) ??
    (activate ? refuseDirect(definition) : undefined);
  if (conflict) return conflict;
  const { draft, latest } = definition;
  // Looked at again: a later build may find more.
  const problems = problemsOf(draft, installed);
  if (problems.length > 0) return withProblems(problems);
  const digest = digestOf(draft);
  if (digest !== asked)
    return refuse("VERSION_CONFLICT", "the draft was changed meanwhile", {
      extra: { record_version: definition.recordVersion },
    });
  const body = draft as unknown as Body;
  const made = activate ? { body } : {};
  if (digest === definition.digest)
    return change(definition, { ...definition, ...(activate && { active: latest }) }, context.now, made);
  if (latest >= limits.workflowVersionsMax)
    return limitReached("a workflow definition", limits.workflowVersionsMax, "versions");
  const version = latest + 1;
  const published: VersionEntry = {
    id: versionId(version),
    version,
    digest,
    body,
    publishedBy: context.caller?.subject ?? "",
    owner: context.caller?.owner ?? "",
    publishedAt: context.now,
  };
  const next = { ...definition, problems: [], latest: version, digest, ...(activate && { active: version }) };
  return change(definition, next, context.now, { ...made, published });
}

function restore(definition: Definition, context: Context): Decision<Event> {
  const next = { ...definition, archived: false };
  if (!definition.archived || definition.active === 0) return change(definition, next, context.now);
  return changeTo(definition, next, context);
}

/** With the version that is active from now on. */
function changeTo(before: Definition, next: Definition, context: Context): Decision<Event> {
  const version = versionOf(before, next.active, context);
  return isRefusal(version) ? version : change(before, next, context.now, { body: version.body });
}

/** `body`: of the version that is active from now on. */
function change(
  before: Definition,
  next: Definition,
  now: number,
  { body, published }: { readonly body?: Body; readonly published?: VersionEntry } = {},
): Decision<Event> {
  const changed = changedWith(before, next, now, body);
  if (!changed) return { events: [], answer: definitionMessage(before) };
  const { definition, notice } = changed;
  return {
    events: [{ type: "put", definition, ...(published && { published }), ...(notice && { notice }) }],
    ...(notice && { awaitDelivery: true }),
    answer: definitionMessage(definition),
  };
}

function pin(
  definition: Definition,
  { version: asked, run_key: runKey = "" }: Pin,
  context: Context,
): Decision<Event> {
  const archived = archivedOf(definition);
  if (archived) return archived;
  const version = asked || versionFor(definition.governed ?? {}, definition.active, runKey, context.now);
  if (version === 0)
    return refuse("FAILED_PRECONDITION", "the workflow has no active version: publish it first", {
      reason: "WORKFLOW_NOT_PUBLISHED",
    });
  const { id, key, environment } = definition;
  const found = versionOf(definition, version, context);
  if (isRefusal(found)) return found;
  const answer: Pinned = { definition: { id, key, environment }, version, body: found.body };
  return { events: [], answer };
}

function versionOf(definition: Definition, version: number, context: Context): Version | Refusal {
  return versions.get(versionId(version), context) ?? noVersion(definition, version);
}

function archivedOf({ archived, key }: Definition): Refusal | undefined {
  if (!archived) return undefined;
  return refuse("FAILED_PRECONDITION", `the workflow ${key} is archived: restore it first`, {
    reason: "WORKFLOW_ARCHIVED",
  });
}

function noVersion({ key }: Definition, version: number): Refusal {
  return refuse("NOT_FOUND", `the workflow ${key} has no version ${version}`);
}

function withProblems(problems: ReturnType<typeof problemsOf>): Refusal {
  const [first] = problems;
  const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
  return refuse("INVALID_ARGUMENT", `the draft has ${count}: ${first!.path} ${first!.reason}`, {
    fields: problems.map(({ path, reason, line, column }) => ({
      field: `draft.${path}`,
      reason: line === undefined ? reason : `line ${line}, column ${column}: ${reason}`,
    })),
    ...(problems.every(({ code }) => code === "MODULE_ABSENT") && { reason: "MODULE_ABSENT" }),
  });
}
