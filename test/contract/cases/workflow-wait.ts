import { newUlid, Random } from "#base";
import type { Case } from "./case.ts";
import type { World } from "./world.ts";

let made = 0;

/** A new run. */
function run(): { run_id: string; event_key: string } {
  return { run_id: newUlid(Date.now(), new Random(`wait-${++made}`)), event_key: "approved" };
}

const event = { event_id: "e-1", payload: { by: "anna" } };

async function told(world: World, method: string) {
  const scope = run();
  await world.call(method, { ...scope, ...event });
  return scope;
}

function casesOf(wait: string, publish: string): readonly Case[] {
  return [
    {
      method: wait,
      claim: "the next event",
      request: async (world) => ({ ...(await told(world, publish)), wait_ms: 10 }),
    },
    {
      method: wait,
      claim: "none after the last one",
      request: async (world) => ({ ...(await told(world, publish)), after_event_id: "e-1", wait_ms: 10 }),
    },
    {
      method: wait,
      claim: "an event that is not known is no cursor",
      request: () => ({ ...run(), after_event_id: "unknown" }),
      refused: "INVALID_ARGUMENT",
    },
    { method: publish, claim: "a new event", request: () => ({ ...run(), ...event }) },
    {
      method: publish,
      claim: "the same event again",
      request: async (world) => ({ ...(await told(world, publish)), ...event }),
    },
    {
      method: publish,
      claim: "a payload over 64 KiB",
      request: () => ({ ...run(), payload: "x".repeat(65_536) }),
      refused: "PAYLOAD_TOO_LARGE",
    },
  ];
}

export const cases: readonly Case[] = [
  ...casesOf("WorkflowWaitService.WaitForEvent", "WorkflowWaitService.SignalRun"),
  ...casesOf("WorkflowWaitService.Await", "WorkflowWaitService.Publish"),
];

export const decided = `
WorkflowWaitService.WaitForEvent | GET /api/workflow-runs/{run_id}/waits/{event_key} | workflow_run:read | | R
WorkflowWaitService.SignalRun    | POST /api/workflow-runs/{run_id}/signals | workflow_run:write | | I
WorkflowWaitService.Await        | | workflow_run:read | service | INT R
WorkflowWaitService.Publish      | | workflow_run:write | service | INT I
`;
