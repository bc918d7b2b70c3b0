import type { EntityMethod } from "#runtime";
import { describeVersion } from "../../kit/activation.ts";
import { contractMethod, method } from "../../kit/ask.ts";
import type { PageRequest } from "../../kit/list.ts";
import { answered, answering, versionOf } from "../../kit/methods.ts";
import type { Message } from "../../kit/record.ts";
import type { Command, Pinned } from "./decide.ts";
import { definitionKind } from "./record.ts";
import type { Event, State } from "./state.ts";

interface DefinitionRef {
  readonly id: string;
}

interface VersionRef extends DefinitionRef {
  readonly version: number;
}

/** A definition in the words of the contract, with what is read of it. */
export interface CreateRequest {
  readonly key: string;
  readonly name?: string;
  readonly draft?: Message;
}

interface Shown extends CreateRequest {
  readonly name: string;
  readonly environment: string;
  readonly draft: Message;
}

interface PublishRequest extends DefinitionRef {
  readonly activate?: boolean;
  readonly record_version?: number;
  /** Of the draft whose permissions were asked for. */
  readonly digest: string;
}

export interface PinRequest extends DefinitionRef {
  /** Absent: the active one, or that of a canary which has this key. */
  readonly version?: number;
  readonly run_key?: string;
}

export const createDefinition = contractMethod<CreateRequest, Message>(
  "directory",
  "WorkflowDefinitionService.CreateDefinition",
);
export const getDefinition = contractMethod<DefinitionRef, Shown>(
  definitionKind,
  "WorkflowDefinitionService.GetDefinition",
);
export const getVersion = contractMethod<VersionRef, { readonly body: Message }>(
  definitionKind,
  "WorkflowDefinitionService.GetVersion",
);
/** As lists show it. */
export const getBrief = method<DefinitionRef, Message>(definitionKind, "GetBrief");
/** What a run begins with. */
export const pin = method<PinRequest, Pinned>(definitionKind, "Pin");
/** The handler has seen that the caller holds the permissions of all steps. */
export const publishDraft = method<PublishRequest, Message>(definitionKind, "PublishDraft");
export const activate = method<VersionRef, Message>(definitionKind, "Activate");

export const definitionMethods: Readonly<Record<string, EntityMethod<State, Command, Event>>> = {
  [getDefinition.name]: answering(getDefinition, ({ id }) => ({ type: "get", id, whole: true })),
  [getVersion.name]: answering(getVersion, ({ id, version }) => ({ type: "get_version", id, version })),
  "WorkflowDefinitionService.PatchDraft": answered((given: Message & DefinitionRef) => ({
    type: "patch",
    id: given.id,
    given,
  })),
  "WorkflowDefinitionService.ArchiveDefinition": answered(({ id }: DefinitionRef) => ({
    type: "archive",
    id,
  })),
  "WorkflowDefinitionService.RestoreDefinition": answered(({ id }: DefinitionRef) => ({
    type: "restore",
    id,
  })),
  "WorkflowDefinitionService.ListVersions": answered((request: DefinitionRef & PageRequest) => ({
    type: "list_versions",
    id: request.id,
    request,
  })),
  [getBrief.name]: answering(getBrief, ({ id }) => ({ type: "get", id, whole: false })),
  [pin.name]: answering(pin, ({ id, version = 0, run_key: key = "" }) => ({ type: "pin", id, version, key })),
  [publishDraft.name]: answering(publishDraft, ({ id, activate = true, digest, ...seen }) => ({
    type: "publish",
    id,
    activate,
    digest,
    ...versionOf(seen),
  })),
  [activate.name]: answering(activate, ({ id, version }) => ({ type: "activate", id, version })),
  [describeVersion.workflow.name]: answering(describeVersion.workflow, ({ id, version }) => ({
    type: "describe_version",
    id,
    version,
  })),
};
