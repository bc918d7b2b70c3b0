import { type AnyActorDefinition, defineActor } from "#runtime";
import { type ActivationMessage, describeVersion } from "../../kit/activation.ts";
import { contractMethod, method } from "../../kit/ask.ts";
import type { EntityPurge } from "../../kit/directory.ts";
import { takes } from "../../kit/methods.ts";
import type { Message } from "../../kit/record.ts";
import type { Installed } from "../body/check.ts";
import { type Command, decideWith, type Pin, type Pinned, type Publish } from "./decide.ts";
import { type DefinitionCreation, definitionKind } from "./record.ts";
import { apply, bytesOf, empty, resident, restore } from "./state.ts";

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
export const pin = method<Omit<Pin, "type">, Pinned>(definitionKind, "Pin");
/** The handler has seen that the caller holds the permissions of all steps. */
export const publishDraft = method<Omit<Publish, "type">, Message>(definitionKind, "PublishDraft");
export const activate = method<VersionRef, Message>(definitionKind, "Activate");

const takenAs = (type: Command["type"]) => takes<Command>(type);

export function definitionActor(installed: Installed): AnyActorDefinition {
  return defineActor({
    kind: definitionKind,
    placement: "key",
    empty,
    resident,
    restore,
    bytesOf,
    environmentOf: ({ definition }) => definition?.environment,
    decide: decideWith(installed),
    apply,
    methods: {
      [getDefinition.name]: takenAs("get"),
      [getBrief.name]: takenAs("get_brief"),
      [getVersion.name]: takenAs("get_version"),
      "WorkflowDefinitionService.PatchDraft": takenAs("patch"),
      "WorkflowDefinitionService.ArchiveDefinition": takenAs("archive"),
      "WorkflowDefinitionService.RestoreDefinition": takenAs("restore"),
      "WorkflowDefinitionService.ListVersions": takenAs("list_versions"),
      [pin.name]: takenAs("pin"),
      [publishDraft.name]: takenAs("publish"),
      [activate.name]: takenAs("activate"),
      [describeVersion.workflow.name]: takenAs("describe_version"),
    },
    onMessage: (message: DefinitionCreation | EntityPurge | ActivationMessage): Command => message,
  });
}
