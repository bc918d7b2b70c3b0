import type { EntityMethod } from "#runtime";
import type { PageRequest } from "../kit/cursor.ts";
import type { GatePhase } from "../kit/evidence-gate.ts";
import { answered, versionOf } from "../kit/methods.ts";
import type { Message } from "../kit/record.ts";
import type { Command, PackCommand } from "./decide.ts";
import type { AddedReceipt } from "./receipts.ts";
import type { Run } from "./record.ts";
import type { Event, State } from "./state.ts";

type Method = EntityMethod<State, Command, Event>;

const service = "EvidenceService";

export const methods: Readonly<Record<string, Method>> = {
  [`${service}.GetPack`]: of(() => ({ type: "get" })),
  [`${service}.UpdatePack`]: of((request) => ({ type: "update", given: request, ...versionOf(request) })),
  [`${service}.ArchivePack`]: of(() => ({ type: "archive" })),
  [`${service}.AddArtifact`]: of((request) => ({ type: "add_artifact", given: request })),
  [`${service}.GetArtifact`]: of((request) => ({
    type: "get_artifact",
    artifactId: request.artifact_id as string,
  })),
  [`${service}.ListArtifacts`]: of((request) => ({
    type: "list_artifacts",
    request: request as PageRequest,
  })),
  [`${service}.ListReceipts`]: of((request) => ({ type: "list_receipts", request: request as PageRequest })),
  [`${service}.ListRuns`]: of((request) => ({ type: "list_runs", request: request as PageRequest })),
  [`${service}.EvaluateGate`]: of((request) => ({ type: "gate", ...phaseOf(request) })),
  [`${service}.ExplainPack`]: of((request) => ({ type: "explain", ...phaseOf(request) })),
  [`${service}.GetRun`]: of((request) => ({ type: "get_run", runId: request.run_id as string })),
  [`${service}.HeartbeatRun`]: of((request) => ({
    type: "heartbeat",
    runId: request.run_id as string,
    leaseToken: request.lease_token as string,
    ...(request.lease_seconds !== undefined && { leaseSeconds: request.lease_seconds as number }),
  })),
  [`${service}.CancelRun`]: of((request) => ({
    type: "cancel_run",
    runId: request.run_id as string,
    reason: (request.reason as string | undefined) ?? "",
  })),
  /** In whatever environment the caller may see. */
  "EvidencePack.Get": of(() => ({ type: "get" })),
  /** After the door has looked at what only the installation knows. */
  "EvidencePack.AddReceipt": of((request) => ({
    type: "add_receipt",
    given: request as unknown as AddedReceipt,
  })),
  "EvidencePack.StartRun": of((request) => ({
    type: "start_run",
    kind: request.kind as Run["kind"],
    mode: request.mode as Run["mode"],
    leaseSeconds: (request.lease_seconds as number | undefined) ?? 60,
    deadlineSeconds: (request.deadline_seconds as number | undefined) ?? 3_600,
  })),
  "EvidencePack.Dump": of((request) => ({ type: "dump", request: request as PageRequest })),
};

function of(command: (request: Message) => PackCommand): Method {
  return answered((request) => ({
    type: "asked",
    asked: {
      ...(request.environment_id !== undefined && { environment: request.environment_id as string }),
      ...(request.pack_id !== undefined && { packId: request.pack_id as string }),
    },
    command: command(request),
  }));
}

function phaseOf({ phase }: Message): { phase?: GatePhase } {
  return phase === undefined ? {} : { phase: phase as GatePhase };
}
