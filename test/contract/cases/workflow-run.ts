import { badVersion, type Case, nobody } from "./case.ts";
import type { World } from "./world.ts";

const service = "WorkflowRunService";
const definitions = "WorkflowDefinitionService";
let made = 0;

const listen = { id: "listen", type: "wait_event", event_key: "go" };
const fails = { id: "stop", type: "end", status: "failed", output: "no" };

/** The id of a published definition with these steps. */
async function published(world: World, steps: object[] = [listen], more: object = {}): Promise<string> {
  const key = `unique-${1_000_000 + ++made}`;
  const draft = { steps, ...more };
  const { id } = await world.call<{ id: string }>(`${definitions}.CreateDefinition`, { key, draft });
  await world.call(`${definitions}.PublishDefinition`, { id });
  return id;
}

export async function run(world: World, steps?: object[]): Promise<string> {
  const definition_id = await published(world, steps);
  const started = await world.call<{ run: { id: string } }>(`${service}.StartRun`, { definition_id });
  return started.run.id;
}

async function failed(world: World): Promise<{ run_id: string }> {
  return { run_id: await run(world, [fails]) };
}

const unknown: readonly Case[] = ["GetRun", "ListSteps", "CancelRun", "RetryRun", "DismissRun"].map(
  (method) => ({
    method: `${service}.${method}`,
    claim: "an unknown id is not found",
    request: () => ({ run_id: nobody }),
    refused: "NOT_FOUND",
  }),
);

export const cases: readonly Case[] = [
  ...unknown,
  {
    method: `${service}.StartRun`,
    claim: "a run of the active version begins",
    request: async (world) => ({
      definition_id: await published(world),
      input: { a: [1, null] },
      run_key: "k",
    }),
  },
  {
    method: `${service}.StartRun`,
    claim: "an open run with the same key is that run",
    request: async (world) => {
      const definition_id = await published(world);
      await world.call(`${service}.StartRun`, { definition_id, run_key: "k" });
      return { definition_id, run_key: "k" };
    },
  },
  {
    method: `${service}.StartRun`,
    claim: "input that breaks the schema is refused by field",
    request: async (world) => ({
      definition_id: await published(world, [listen], { input: { type: "object", required: ["user"] } }),
      input: {},
    }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: `${service}.StartRun`,
    claim: "an archived definition starts nothing",
    request: async (world) => {
      const id = await published(world);
      await world.call(`${definitions}.ArchiveDefinition`, { id });
      return { definition_id: id };
    },
    refused: "FAILED_PRECONDITION",
  },
  {
    method: `${service}.StartRun`,
    claim: "an unknown key is not found",
    request: () => ({ definition_key: "nowhere" }),
    refused: "NOT_FOUND",
  },
  {
    method: `${service}.StartRun`,
    claim: "neither id nor key is refused",
    request: () => ({}),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: `${service}.GetRun`,
    claim: "a run says what it waits for",
    request: async (world) => ({ run_id: await run(world) }),
  },
  {
    method: `${service}.ListRuns`,
    claim: "runs of a definition are listed",
    request: async (world) => {
      const definition_id = await published(world);
      await world.call(`${service}.StartRun`, { definition_id });
      await world.call(`${service}.StartRun`, { definition_id });
      // The list learns a moment later that they run.
      for (let running = 0; running < 2; )
        running = (
          await world.call<{ total: number }>(`${service}.ListRuns`, { definition_id, status: "running" })
        ).total;
      return { definition_id, page_size: 1 };
    },
  },
  {
    method: `${service}.ListRuns`,
    claim: "an unknown version of the API is refused",
    request: () => ({}),
    headers: badVersion,
    refused: "INVALID_ARGUMENT",
  },
  {
    method: `${service}.ListSteps`,
    claim: "the steps that have begun are listed",
    request: async (world) => ({ run_id: await run(world) }),
  },
  {
    method: `${service}.CancelRun`,
    claim: "a run that waits is cancelled at once",
    request: async (world) => ({ run_id: await run(world) }),
  },
  {
    method: `${service}.CancelRun`,
    claim: "a run that has ended is not cancelled",
    request: failed,
    refused: "STATE_CONFLICT",
  },
  { method: `${service}.RetryRun`, claim: "a failed run runs again", request: failed },
  {
    method: `${service}.RetryRun`,
    claim: "a run that has not failed is not retried",
    request: async (world) => ({ run_id: await run(world) }),
    refused: "STATE_CONFLICT",
  },
  { method: `${service}.DismissRun`, claim: "a failed run is dismissed", request: failed },
  {
    method: "WorkflowWaitService.SignalRun",
    claim: "a signal is taken",
    request: async (world) => ({
      run_id: await run(world),
      event_key: "go",
      event_id: "e1",
      payload: { n: 1 },
    }),
  },
  {
    method: "WorkflowWaitService.SignalRun",
    claim: "a signal without a key is refused",
    request: async (world) => ({ run_id: await run(world), event_key: "" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: `${service}.GetRunFigures`,
    claim: "an environment without runs has none",
    request: () => ({}),
    headers: { "x-environment": "development" },
  },
  {
    method: `${service}.GetRunFigures`,
    claim: "a window of a year is refused",
    request: () => ({ window_seconds: 31_536_000 }),
    refused: "INVALID_ARGUMENT",
  },
];

export const decided = `
WorkflowRunService.StartRun      | POST /api/workflow-runs | workflow_run:write | | I
WorkflowRunService.GetRun        | GET /api/workflow-runs/{run_id} | workflow_run:read | | R
WorkflowRunService.ListRuns      | GET /api/workflow-runs | workflow_run:read | | R C
WorkflowRunService.ListSteps     | GET /api/workflow-runs/{run_id}/steps | workflow_run:read | | R C
WorkflowRunService.CancelRun     | POST /api/workflow-runs/{run_id}/cancel | workflow_run:write | | I
WorkflowRunService.RetryRun      | POST /api/workflow-runs/{run_id}/retry | workflow_run:write | | I
WorkflowRunService.DismissRun    | POST /api/workflow-runs/{run_id}/dismiss | workflow_run:write | | I
WorkflowRunService.GetRunFigures | GET /api/workflow-runs:figures | workflow_run:read | | INT R
`;
