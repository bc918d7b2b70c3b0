import { badVersion, type Case, nobody } from "./case.ts";
import { created } from "./promotion.ts";
import type { World } from "./world.ts";

interface Named {
  readonly id: string;
}

const environment_id = "staging";
const digest = `sha256:${"a".repeat(64)}`;
const requirements = [{ id: "scenarios", receipt_type: "scenario", subject: digest, max_age_seconds: 3600 }];

async function pack(world: World): Promise<{ environment_id: string; pack_id: string }> {
  const made = await world.call<Named>("EvidenceService.CreatePack", {
    environment_id,
    name: "a pack",
    requirements,
  });
  return { environment_id, pack_id: made.id };
}

const receipt = { scenario: { passed: 3 }, result: "passed", subjects: [{ name: "rules", digest }] };

async function withReceipt(world: World): Promise<object> {
  const ref = await pack(world);
  await world.call("EvidenceService.AddReceipt", { ...ref, ...receipt });
  return ref;
}

async function run(world: World): Promise<{ environment_id: string; run_id: string; lease_token: string }> {
  const ref = await pack(world);
  const started = await world.call<Named & { lease_token: string }>("EvidenceService.StartRun", {
    ...ref,
    kind: "scenario",
    mode: "sandbox",
  });
  return { environment_id, run_id: started.id, lease_token: started.lease_token };
}

/** One pack for all doors: its export then has the same bytes on each of them. */
let exported: Promise<object> | undefined;

function sharedPack(world: World): Promise<object> {
  exported ??= withReceipt(world);
  return exported;
}

const unknownPack = { environment_id, pack_id: nobody };
const unknownRun = { environment_id, run_id: nobody };

export const cases: readonly Case[] = [
  {
    method: "EvidenceService.CreatePack",
    claim: "a pack with requirements and labels",
    request: () => ({ environment_id, name: "a pack", labels: { team: "routing" }, requirements }),
  },
  {
    method: "EvidenceService.CreatePack",
    claim: "an environment that the tenant does not have is refused",
    request: () => ({ environment_id: "moon", name: "a pack" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "EvidenceService.CreatePack",
    claim: "requirements that depend on one another in a circle are refused",
    request: () => ({
      environment_id,
      name: "a pack",
      requirements: [
        { id: "a", receipt_type: "graph", depends_on: ["b"] },
        { id: "b", receipt_type: "graph", depends_on: ["a"] },
      ],
    }),
    refused: "INVALID_ARGUMENT",
  },
  { method: "EvidenceService.GetPack", claim: "a pack with a receipt", request: withReceipt },
  {
    method: "EvidenceService.GetPack",
    claim: "a pack is not found in another environment",
    request: async (world) => ({ ...(await pack(world)), environment_id: "production" }),
    refused: "NOT_FOUND",
  },
  {
    method: "EvidenceService.ListPacks",
    claim: "one of several packs",
    request: async (world) => {
      await pack(world);
      await pack(world);
      return { page_size: 1, state: "open" };
    },
  },
  {
    method: "EvidenceService.ListPacks",
    claim: "a forged cursor is refused",
    request: () => ({ page_token: "nonsense" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "EvidenceService.UpdatePack",
    claim: "name, labels and requirements are replaced",
    request: async (world) => ({ ...(await pack(world)), name: "another name" }),
  },
  {
    method: "EvidenceService.UpdatePack",
    claim: "a version other than the current one is refused",
    request: async (world) => ({ ...(await pack(world)), name: "n", record_version: 7 }),
    refused: "VERSION_CONFLICT",
  },
  {
    method: "EvidenceService.AddArtifact",
    claim: "content with its digest",
    request: async (world) => ({
      ...(await pack(world)),
      name: "rules",
      content: { b: 1, a: [true, null] },
      digest: "sha256:3d6f3b0bbf3c8fc6c0da2a1e2c0cf7ed6d7f6b8f9e1b34e9d2f6a2ed2e8b2b31",
    }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "EvidenceService.AddArtifact",
    claim: "content without a digest gets one",
    request: async (world) => ({ ...(await pack(world)), name: "rules", content: { b: 1, a: [true, null] } }),
  },
  {
    method: "EvidenceService.ListArtifacts",
    claim: "the artifacts of a pack",
    request: async (world) => {
      const ref = await pack(world);
      await world.call("EvidenceService.AddArtifact", { ...ref, name: "a", digest, size: 12 });
      return ref;
    },
  },
  {
    method: "EvidenceService.ListArtifacts",
    claim: "of an unknown pack",
    request: () => unknownPack,
    refused: "NOT_FOUND",
  },
  {
    method: "EvidenceService.GetArtifact",
    claim: "with its content",
    request: async (world) => {
      const ref = await pack(world);
      const added = await world.call<Named>("EvidenceService.AddArtifact", {
        ...ref,
        name: "a",
        content: [1, "two"],
      });
      return { ...ref, artifact_id: added.id };
    },
  },
  {
    method: "EvidenceService.GetArtifact",
    claim: "one that is not there",
    request: async (world) => ({ ...(await pack(world)), artifact_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "EvidenceService.AddReceipt",
    claim: "a scenario receipt",
    request: async (world) => ({ ...(await pack(world)), ...receipt, details: { suite: "smoke" } }),
  },
  {
    method: "EvidenceService.AddReceipt",
    claim: "counts that contradict the result are refused",
    request: async (world) => ({ ...(await pack(world)), ...receipt, scenario: { passed: 3, failed: 1 } }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "EvidenceService.AddReceipt",
    claim: "a canary receipt that a caller writes is refused",
    request: async (world) => ({ ...(await pack(world)), canary: {}, result: "passed" }),
    refused: "PERMISSION_DENIED",
  },
  {
    method: "EvidenceService.ListReceipts",
    claim: "the receipts of a pack",
    request: async (world) => ({ ...(await withReceipt(world)), receipt_type: "scenario" }),
  },
  {
    method: "EvidenceService.ListReceipts",
    claim: "of an unknown pack",
    request: () => unknownPack,
    refused: "NOT_FOUND",
  },
  {
    method: "EvidenceService.StartRun",
    claim: "a run with its lease",
    request: async (world) => ({ ...(await pack(world)), kind: "graph", mode: "dry_run", lease_seconds: 30 }),
  },
  {
    method: "EvidenceService.StartRun",
    claim: "a sandbox run in a live environment is refused",
    request: async (world) => {
      const made = await world.call<Named>("EvidenceService.CreatePack", {
        environment_id: "production",
        name: "a pack",
      });
      return { environment_id: "production", pack_id: made.id, kind: "graph", mode: "sandbox" };
    },
    refused: "FAILED_PRECONDITION",
  },
  {
    method: "EvidenceService.ListRuns",
    claim: "the runs of a pack",
    request: async (world) => {
      const ref = await pack(world);
      await world.call("EvidenceService.StartRun", { ...ref, kind: "graph", mode: "sandbox" });
      return ref;
    },
  },
  {
    method: "EvidenceService.ListRuns",
    claim: "of an unknown pack",
    request: () => unknownPack,
    refused: "NOT_FOUND",
  },
  {
    method: "EvidenceService.GetRun",
    claim: "a run without its token",
    request: async (world) => {
      const { lease_token: _, ...ref } = await run(world);
      return ref;
    },
  },
  {
    method: "EvidenceService.GetRun",
    claim: "an unknown run",
    request: () => unknownRun,
    refused: "NOT_FOUND",
  },
  { method: "EvidenceService.HeartbeatRun", claim: "a pending run is running", request: run },
  {
    method: "EvidenceService.HeartbeatRun",
    claim: "another token has lost the lease",
    request: async (world) => ({ ...(await run(world)), lease_token: "another" }),
    refused: "LEASE_LOST",
  },
  {
    method: "EvidenceService.CancelRun",
    claim: "a run that is pending",
    request: async (world) => {
      const { lease_token: _, ...ref } = await run(world);
      return { ...ref, reason: "started twice" };
    },
  },
  {
    method: "EvidenceService.CancelRun",
    claim: "an unknown run",
    request: () => unknownRun,
    refused: "NOT_FOUND",
  },
  { method: "EvidenceService.EvaluateGate", claim: "a gate that is satisfied", request: withReceipt },
  {
    method: "EvidenceService.EvaluateGate",
    claim: "of an unknown pack",
    request: () => unknownPack,
    refused: "NOT_FOUND",
  },
  { method: "EvidenceService.ExplainPack", claim: "what is missing", request: pack },
  {
    method: "EvidenceService.ExplainPack",
    claim: "of an unknown pack",
    request: () => unknownPack,
    refused: "NOT_FOUND",
  },
  { method: "EvidenceService.ExportPack", claim: "a signed manifest", request: sharedPack },
  {
    method: "EvidenceService.ExportPack",
    claim: "of an unknown pack",
    request: () => unknownPack,
    refused: "NOT_FOUND",
  },
  { method: "EvidenceService.ArchivePack", claim: "a pack that no promotion has", request: pack },
  {
    method: "EvidenceService.ArchivePack",
    claim: "an archived pack takes no more",
    request: async (world) => {
      const ref = await pack(world);
      await world.call("EvidenceService.ArchivePack", ref);
      return ref;
    },
    refused: "STATE_CONFLICT",
  },
  {
    method: "EvidenceService.AttachToPromotion",
    claim: "an open candidate takes the pack",
    request: async (world) => {
      const { candidate_id } = await created(world);
      const environment = "production";
      const made = await world.call<Named>("EvidenceService.CreatePack", {
        environment_id: environment,
        name: "a pack",
      });
      return { environment_id: environment, pack_id: made.id, candidate_id };
    },
  },
  {
    method: "EvidenceService.AttachToPromotion",
    claim: "an unknown candidate",
    request: async (world) => ({ ...(await pack(world)), candidate_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "EvidenceService.ExpandRequirements",
    claim: "requirements of two artifacts",
    request: () => ({
      environment_id,
      artifacts: [
        { kind: "routing", id: "checkout", version: 3, digest },
        { kind: "connector", id: "stripe", version: 1, digest },
      ],
    }),
  },
  {
    method: "EvidenceService.ExpandRequirements",
    claim: "in an unknown environment",
    request: () => ({
      environment_id: "moon",
      artifacts: [{ kind: "routing", id: "checkout", version: 3, digest }],
    }),
    refused: "INVALID_ARGUMENT",
  },
  { method: "EvidenceService.GetKeys", claim: "the public key", request: () => ({}) },
  {
    method: "EvidenceService.GetKeys",
    claim: "an API version that is too old is refused",
    request: () => ({}),
    headers: badVersion,
    refused: "INVALID_ARGUMENT",
  },
];

export const decided = `
EvidenceService.CreatePack         | POST /api/rollout-evidence/packs | rollout_evidence:write | | I
EvidenceService.GetPack            | GET /api/rollout-evidence/packs/{environment_id}/{pack_id} | rollout_evidence:read | | R
EvidenceService.ListPacks          | GET /api/rollout-evidence/packs | rollout_evidence:read | | R C
EvidenceService.UpdatePack         | PUT /api/rollout-evidence/packs/{environment_id}/{pack_id} | rollout_evidence:write | | I
EvidenceService.AddArtifact        | POST /api/rollout-evidence/packs/{environment_id}/{pack_id}/artifacts | rollout_evidence:write | | I
EvidenceService.ListArtifacts      | GET /api/rollout-evidence/packs/{environment_id}/{pack_id}/artifacts | rollout_evidence:read | | R C
EvidenceService.GetArtifact        | GET /api/rollout-evidence/packs/{environment_id}/{pack_id}/artifacts/{artifact_id} | rollout_evidence:read | | R
EvidenceService.AddReceipt         | POST /api/rollout-evidence/packs/{environment_id}/{pack_id}/receipts | rollout_evidence:write | | I
EvidenceService.ListReceipts       | GET /api/rollout-evidence/packs/{environment_id}/{pack_id}/receipts | rollout_evidence:read | | R C
EvidenceService.StartRun           | POST /api/rollout-evidence/packs/{environment_id}/{pack_id}/runs | rollout_evidence:write | | I
EvidenceService.ListRuns           | GET /api/rollout-evidence/packs/{environment_id}/{pack_id}/runs | rollout_evidence:read | | R C
EvidenceService.GetRun             | GET /api/rollout-evidence/runs/{environment_id}/{run_id} | rollout_evidence:read | | R
EvidenceService.HeartbeatRun       | POST /api/rollout-evidence/runs/{environment_id}/{run_id}:heartbeat | rollout_evidence:write | | T
EvidenceService.CancelRun          | POST /api/rollout-evidence/runs/{environment_id}/{run_id}:cancel | rollout_evidence:write | | I
EvidenceService.EvaluateGate       | POST /api/rollout-evidence/packs/{environment_id}/{pack_id}/gate:evaluate | rollout_evidence:write | | I
EvidenceService.ExplainPack        | POST /api/rollout-evidence/packs/{environment_id}/{pack_id}:explain | rollout_evidence:preview | | N
EvidenceService.ExportPack         | POST /api/rollout-evidence/packs/{environment_id}/{pack_id}:export | rollout_evidence:read | | N
EvidenceService.ArchivePack        | POST /api/rollout-evidence/packs/{environment_id}/{pack_id}:archive | rollout_evidence:write | | I
EvidenceService.AttachToPromotion  | POST /api/rollout-evidence/packs/{environment_id}/{pack_id}:attach-to-promotion | rollout_evidence:write | | I
EvidenceService.ExpandRequirements | POST /api/rollout-evidence/requirements:expand | rollout_evidence:preview | | N
EvidenceService.GetKeys            | GET /api/rollout-evidence/keys | rollout_evidence:read | | R
`;
