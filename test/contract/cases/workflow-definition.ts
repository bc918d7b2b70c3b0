import { badVersion, type Case, nobody } from "./case.ts";
import type { World } from "./world.ts";

const service = "WorkflowDefinitionService";
let made = 0;

/** A new key each time: keys are unique in a tenant. */
function newKey(): string {
  return `unique-${++made}`;
}

async function definition(world: World, draft: object = { steps: [pause] }): Promise<string> {
  const { id } = await world.call<{ id: string }>(`${service}.CreateDefinition`, { key: newKey(), draft });
  return id;
}

async function published(world: World): Promise<string> {
  const id = await definition(world);
  await world.call(`${service}.PublishDefinition`, { id });
  return id;
}

const pause = { id: "pause", type: "wait", seconds: 60 };

export const cases: readonly Case[] = [
  {
    method: `${service}.CreateDefinition`,
    claim: "a key is enough",
    request: () => ({ key: newKey() }),
  },
  {
    method: `${service}.CreateDefinition`,
    claim: "a draft with problems is stored with them",
    request: () => ({
      key: newKey(),
      name: "Onboarding",
      draft: { steps: [{ id: "a", type: "wait", seconds: 5, when: "input.x ==" }, { type: "notify" }] },
    }),
  },
  {
    method: `${service}.CreateDefinition`,
    claim: "a key that is taken is refused",
    request: async (world) => {
      const key = newKey();
      await world.call(`${service}.CreateDefinition`, { key });
      return { key };
    },
    refused: "ALREADY_EXISTS",
  },
  {
    method: `${service}.CreateDefinition`,
    claim: "a draft over its bound is refused",
    request: () => ({ key: newKey(), draft: { output: "x".repeat(70_000) } }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: `${service}.GetDefinition`,
    claim: "a definition is found",
    request: async (world) => ({ id: await definition(world) }),
  },
  {
    method: `${service}.GetDefinition`,
    claim: "an unknown id is not found",
    request: () => ({ id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: `${service}.ListDefinitions`,
    claim: "a page has the asked size and leads to the next",
    request: async (world) => {
      await definition(world);
      await definition(world);
      return { page_size: 1, status: "draft" };
    },
  },
  {
    method: `${service}.ListDefinitions`,
    claim: "a definition is found by its key",
    request: async (world) => {
      const key = newKey();
      await world.call(`${service}.CreateDefinition`, { key });
      return { key };
    },
  },
  {
    method: `${service}.ListDefinitions`,
    claim: "an unknown version of the API is refused",
    request: () => ({}),
    headers: badVersion,
    refused: "INVALID_ARGUMENT",
  },
  {
    method: `${service}.PatchDraft`,
    claim: "steps are replaced and the rest is kept",
    request: async (world) => ({
      id: await definition(world, { steps: [pause], timeout_seconds: 60 }),
      draft: { steps: [{ ...pause, seconds: 1 }] },
      update_mask: ["draft.steps"],
    }),
  },
  {
    method: `${service}.PatchDraft`,
    claim: "an old record version is refused",
    request: async (world) => {
      const id = await published(world);
      return { id, draft: { timeout_seconds: 5 }, update_mask: ["draft.timeout_seconds"], record_version: 1 };
    },
    refused: "VERSION_CONFLICT",
  },
  {
    method: `${service}.PublishDefinition`,
    claim: "a draft without problems becomes version 1",
    request: async (world) => ({ id: await definition(world) }),
  },
  {
    method: `${service}.PublishDefinition`,
    claim: "all problems are named",
    request: async (world) => ({
      id: await definition(world, {
        steps: [
          { id: "a", type: "wait" },
          { id: "a", type: "dance" },
        ],
      }),
    }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: `${service}.DuplicateDefinition`,
    claim: "the copy is a draft",
    request: async (world) => ({ id: await published(world) }),
  },
  {
    method: `${service}.DuplicateDefinition`,
    claim: "a second copy needs another key",
    request: async (world) => {
      const id = await definition(world);
      await world.call(`${service}.DuplicateDefinition`, { id });
      return { id };
    },
    refused: "ALREADY_EXISTS",
  },
  {
    method: `${service}.ArchiveDefinition`,
    claim: "a definition is archived",
    request: async (world) => ({ id: await published(world) }),
  },
  {
    method: `${service}.ArchiveDefinition`,
    claim: "an unknown id is not found",
    request: () => ({ id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: `${service}.RestoreDefinition`,
    claim: "an archived definition is published again",
    request: async (world) => {
      const id = await published(world);
      await world.call(`${service}.ArchiveDefinition`, { id });
      return { id };
    },
  },
  {
    method: `${service}.RestoreDefinition`,
    claim: "an unknown id is not found",
    request: () => ({ id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: `${service}.ActivateVersion`,
    claim: "an older version is active again",
    request: async (world) => {
      const id = await published(world);
      await world.call(`${service}.PatchDraft`, {
        id,
        draft: { timeout_seconds: 5 },
        update_mask: ["draft.timeout_seconds"],
      });
      await world.call(`${service}.PublishDefinition`, { id });
      return { id, version: 1 };
    },
  },
  {
    method: `${service}.ActivateVersion`,
    claim: "an unknown version is refused",
    request: async (world) => ({ id: await published(world), version: 2 }),
    refused: "NOT_FOUND",
  },
  {
    method: `${service}.ListVersions`,
    claim: "versions are listed without bodies",
    request: async (world) => ({ id: await published(world) }),
  },
  {
    method: `${service}.ListVersions`,
    claim: "an unknown id is not found",
    request: () => ({ id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: `${service}.GetVersion`,
    claim: "a version has its body",
    request: async (world) => ({ id: await published(world), version: 1 }),
  },
  {
    method: `${service}.GetVersion`,
    claim: "version 0 does not exist",
    request: async (world) => ({ id: await published(world), version: 0 }),
    refused: "INVALID_ARGUMENT",
  },
];

export const decided = `
WorkflowDefinitionService.CreateDefinition    | POST /api/workflow-definitions | workflow_definition:write | | I
WorkflowDefinitionService.GetDefinition       | GET /api/workflow-definitions/{id} | workflow_definition:read | | R
WorkflowDefinitionService.ListDefinitions     | GET /api/workflow-definitions | workflow_definition:read | | R C
WorkflowDefinitionService.PatchDraft          | PATCH /api/workflow-definitions/{id}/draft | workflow_definition:write | | I
WorkflowDefinitionService.PublishDefinition   | POST /api/workflow-definitions/{id}/publish | workflow_definition:write | | I
WorkflowDefinitionService.DuplicateDefinition | POST /api/workflow-definitions/{id}/duplicate | workflow_definition:write | | I
WorkflowDefinitionService.ArchiveDefinition   | POST /api/workflow-definitions/{id}/archive | workflow_definition:write | | I
WorkflowDefinitionService.RestoreDefinition   | POST /api/workflow-definitions/{id}/restore | workflow_definition:write | | I
WorkflowDefinitionService.ActivateVersion     | POST /api/workflow-definitions/{id}/activate | workflow_definition:write | | I
WorkflowDefinitionService.ListVersions        | GET /api/workflow-definitions/{id}/versions | workflow_definition:read | | R C
WorkflowDefinitionService.GetVersion          | GET /api/workflow-definitions/{id}/versions/{version} | workflow_definition:read | | R
`;
