import { badVersion, type Case, nobody } from "./case.ts";
import type { World } from "./world.ts";

interface Named {
  readonly id: string;
}

const rules = [
  { name: "closed", order: 1, condition: "item.key == 'x'", action: { reject: { reason: "closed" } } },
];
const proposal = { kind: "routing", content: { routing: { config: { lease_seconds: 60 }, rules } } };

async function versioned(world: World): Promise<{ readonly pool_id: string; readonly version: number }> {
  const pool_id = await world.pool();
  await world.call("PoolService.CreatePoolVersion", { pool_id, ...proposal });
  return { pool_id, version: 1 };
}

/** A candidate in production. */
export async function created(world: World): Promise<{ readonly candidate_id: string }> {
  const { pool_id, version } = await versioned(world);
  const artifacts = [{ kind: "routing", id: pool_id, version }];
  const request = { environment_id: "production", artifacts };
  await makeRoom(world);
  const { id } = await world.call<Named>("PromotionService.CreateCandidate", request);
  made.push(id);
  return { candidate_id: id };
}

/** All doors share one tenant, and a tenant may have few open candidates. */
async function makeRoom(world: World): Promise<void> {
  if (made.length < 30) return;
  for (const candidate_id of made.splice(0)) {
    const { state } = await world.call<{ state: string }>("PromotionService.GetCandidate", { candidate_id });
    const over = ["promoted", "rejected", "rolled_back", "aborted", "failed"].includes(state);
    if (!over) await world.call("PromotionService.Abort", { candidate_id });
  }
}

const made: string[] = [];

const steps = [
  "Preflight",
  "EvaluateGuardrails",
  "StartCanary",
  "StopCanary",
  "Approve",
  "Promote",
  "Rollback",
];
const approval = { decision: "approve", reason: "as good as the rest", accept_inconclusive: true };

/** Runs every step before this one. */
async function before(world: World, step: string): Promise<{ readonly candidate_id: string }> {
  const named = await created(world);
  for (const one of steps.slice(0, steps.indexOf(step)))
    await world.call(`PromotionService.${one}`, { ...named, ...(one === "Approve" && approval) });
  return named;
}

const unknown = (method: string, more: object = {}): Case => ({
  method: `PromotionService.${method}`,
  claim: "an unknown candidate is not found",
  request: () => ({ candidate_id: nobody, ...more }),
  refused: "NOT_FOUND",
});

const tooEarly = (method: string, more: object = {}): Case => ({
  method: `PromotionService.${method}`,
  claim: "a new candidate refuses the step",
  request: async (world) => ({ ...(await created(world)), ...more }),
  refused: "STATE_CONFLICT",
});

export const cases: readonly Case[] = [
  {
    method: "PoolService.CreatePoolVersion",
    claim: "a snapshot has every default",
    request: async (world) => ({ pool_id: await world.pool(), kind: "strategy" }),
  },
  {
    method: "PoolService.CreatePoolVersion",
    claim: "a proposal comes back, filled in",
    request: async (world) => ({ pool_id: await world.pool(), ...proposal }),
  },
  {
    method: "PoolService.CreatePoolVersion",
    claim: "a version of another pool is imported",
    request: async (world) => ({
      pool_id: await world.pool(),
      kind: "routing",
      from: await versioned(world),
    }),
  },
  {
    method: "PoolService.CreatePoolVersion",
    claim: "a condition that does not compile is refused with its position",
    request: async (world) => ({
      pool_id: await world.pool(),
      kind: "routing",
      content: { routing: { rules: [{ ...rules[0], condition: "item.key = 1" }] } },
    }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "PoolService.CreatePoolVersion",
    claim: "the content of another kind is refused",
    request: async (world) => ({ pool_id: await world.pool(), ...proposal, kind: "strategy" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "PoolService.GetPoolVersion",
    claim: "one version with its content",
    request: versioned,
  },
  {
    method: "PoolService.GetPoolVersion",
    claim: "an unknown version is not found",
    request: async (world) => ({ ...(await versioned(world)), version: 9 }),
    refused: "NOT_FOUND",
  },
  {
    method: "PoolService.ListPoolVersions",
    claim: "all versions without their content",
    request: async (world) => ({ pool_id: (await versioned(world)).pool_id }),
  },
  {
    method: "PoolService.ListPoolVersions",
    claim: "a cursor of another list is refused",
    request: async (world) => ({ pool_id: await world.pool(), page_token: "abc" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "PoolService.SetChangeControl",
    claim: "a pool is governed",
    request: async (world) => ({ pool_id: await world.pool(), change_control: "governed" }),
  },
  {
    method: "PoolService.SetChangeControl",
    claim: "an unknown control is refused",
    request: async (world) => ({ pool_id: await world.pool(), change_control: "closed" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "PromotionService.CreateCandidate",
    claim: "exact versions with the default guardrails",
    request: async (world) => {
      const { pool_id, version } = await versioned(world);
      return { environment_id: "production", artifacts: [{ kind: "routing", id: pool_id, version }] };
    },
  },
  {
    method: "PromotionService.CreateCandidate",
    claim: "guardrails that are given come back",
    request: async (world) => {
      const { pool_id, version } = await versioned(world);
      return {
        environment_id: "production",
        name: "closed on x",
        artifacts: [{ kind: "routing", id: pool_id, version }],
        guardrails: [
          { scope: "canary", metric: "slow", max_increase: 0.05, slow_ms: 200, min_samples: 50 },
          { scope: "target", metric: "dlq_depth", max: 10, report_only: true },
        ],
      };
    },
  },
  {
    method: "PromotionService.CreateCandidate",
    claim: "an unknown version is refused",
    request: async (world) => ({
      environment_id: "production",
      artifacts: [{ kind: "routing", id: await world.pool(), version: 3 }],
    }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "PromotionService.CreateCandidate",
    claim: "an unknown metric is refused",
    request: async (world) => {
      const { pool_id, version } = await versioned(world);
      return {
        environment_id: "production",
        artifacts: [{ kind: "routing", id: pool_id, version }],
        guardrails: [{ scope: "canary", metric: "mood", max: 1 }],
      };
    },
    refused: "INVALID_ARGUMENT",
  },
  { method: "PromotionService.GetCandidate", claim: "one candidate", request: created },
  unknown("GetCandidate"),
  {
    method: "PromotionService.ListCandidates",
    claim: "a page of candidates",
    request: async (world) => {
      await created(world);
      await created(world);
      return { page_size: 1, state: "created" };
    },
  },
  {
    method: "PromotionService.ListCandidates",
    claim: "an old version is refused",
    request: () => ({}),
    headers: badVersion,
    refused: "INVALID_ARGUMENT",
  },
  ...steps.map(
    (step): Case => ({
      method: `PromotionService.${step}`,
      claim: "the next step succeeds",
      request: async (world) => ({ ...(await before(world, step)), ...(step === "Approve" && approval) }),
    }),
  ),
  unknown("Preflight"),
  tooEarly("EvaluateGuardrails"),
  tooEarly("StartCanary"),
  tooEarly("StopCanary"),
  tooEarly("Approve", approval),
  tooEarly("Promote"),
  tooEarly("Rollback"),
  {
    method: "PromotionService.Abort",
    claim: "a candidate with a canary",
    request: async (world) => ({ ...(await before(world, "StopCanary")), reason: "another one comes" }),
  },
  {
    method: "PromotionService.Abort",
    claim: "a promoted candidate is not aborted",
    request: (world) => before(world, "Rollback"),
    refused: "STATE_CONFLICT",
  },
];

export const decided = `
PromotionService.CreateCandidate    | POST /api/promotions/candidates | promotion:write | | I
PromotionService.GetCandidate       | GET /api/promotions/candidates/{candidate_id} | promotion:read | | R
PromotionService.ListCandidates     | GET /api/promotions/candidates | promotion:read | | R C
PromotionService.Preflight          | POST /api/promotions/candidates/{candidate_id}/preflight | promotion:write | | I
PromotionService.EvaluateGuardrails | POST /api/promotions/candidates/{candidate_id}/guardrails/evaluate | promotion:write | | I
PromotionService.StartCanary        | POST /api/promotions/candidates/{candidate_id}/canary/start | promotion:write | | I
PromotionService.StopCanary         | POST /api/promotions/candidates/{candidate_id}/canary/stop | promotion:write | | I
PromotionService.Approve            | POST /api/promotions/candidates/{candidate_id}/approve | promotion_approval:write | admin promotion_approver | I audited
PromotionService.Promote            | POST /api/promotions/candidates/{candidate_id}/promote | promotion:admin | admin promotion_operator | I audited
PromotionService.Rollback           | POST /api/promotions/candidates/{candidate_id}/rollback | promotion:admin | admin promotion_operator | I audited
PromotionService.Abort              | POST /api/promotions/candidates/{candidate_id}/abort | promotion:write | | I
`;
