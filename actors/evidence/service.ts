import type { EntityMethod } from "#runtime";
import { method } from "../kit/ask.ts";
import { addReceipt, type PackRef } from "../kit/evidence.ts";
import type { GatePhase } from "../kit/evidence-gate.ts";
import type { PageRequest } from "../kit/list.ts";
import { answered, answering, versionOf } from "../kit/methods.ts";
import type { Message } from "../kit/record.ts";
import type { ArtifactRequest } from "./artifacts.ts";
import type { Command, ListRequest, PackCommand } from "./decide.ts";
import type { DumpPage } from "./manifest.ts";
import { packKind, type Run } from "./record.ts";
import type { PackSettings } from "./requirements.ts";
import type { Event, State } from "./state.ts";

type Method = EntityMethod<State, Command, Event>;

/** In whatever environment the caller may see. */
export const findPack = method<{ readonly pack_id: string }, Message>(packKind, "Find");

/** The handler has seen that the environment takes runs of this mode. */
export const beginRun = method<StartRequest, Message>(packKind, "BeginRun");

export const dumpPack = method<PackRef & PageRequest, DumpPage>(packKind, "Dump");

export interface StartRequest extends PackRef {
  readonly kind: Run["kind"];
  readonly mode: Run["mode"];
  readonly lease_seconds?: number;
  readonly deadline_seconds?: number;
}

interface RunRequest {
  readonly run_id: string;
  readonly lease_token: string;
  readonly lease_seconds?: number;
  readonly reason?: string;
}

interface GateRequest {
  readonly phase?: GatePhase;
}

export const methods: Readonly<Record<string, Method>> = {
  "EvidenceService.GetPack": of(() => ({ type: "get" })),
  "EvidenceService.UpdatePack": of((request: PackSettings & { record_version?: number }) => ({
    type: "update",
    given: request,
    ...versionOf(request),
  })),
  "EvidenceService.ArchivePack": of(() => ({ type: "archive" })),
  "EvidenceService.AddArtifact": of((given: ArtifactRequest) => ({ type: "add_artifact", given })),
  "EvidenceService.GetArtifact": of(({ artifact_id }: { artifact_id: string }) => ({
    type: "get_artifact",
    artifactId: artifact_id,
  })),
  "EvidenceService.ListArtifacts": of((request: ListRequest) => ({ type: "list_artifacts", request })),
  "EvidenceService.ListReceipts": of((request: ListRequest) => ({ type: "list_receipts", request })),
  "EvidenceService.ListRuns": of((request: ListRequest) => ({ type: "list_runs", request })),
  "EvidenceService.EvaluateGate": of((request: GateRequest) => ({ type: "gate", ...phaseOf(request) })),
  "EvidenceService.ExplainPack": of((request: GateRequest) => ({ type: "explain", ...phaseOf(request) })),
  "EvidenceService.GetRun": of(({ run_id }: RunRequest) => ({ type: "get_run", runId: run_id })),
  "EvidenceService.HeartbeatRun": of(({ run_id, lease_token, lease_seconds }: RunRequest) => ({
    type: "heartbeat",
    runId: run_id,
    leaseToken: lease_token,
    ...(lease_seconds !== undefined && { leaseSeconds: lease_seconds }),
  })),
  "EvidenceService.CancelRun": of(({ run_id, reason = "" }: RunRequest) => ({
    type: "cancel_run",
    runId: run_id,
    reason,
  })),
  [findPack.name]: answering(
    findPack,
    asked(() => ({ type: "get" })),
  ),
  [addReceipt.name]: answering(
    addReceipt,
    asked((given) => ({ type: "add_receipt", given })),
  ),
  [beginRun.name]: answering(
    beginRun,
    asked(({ kind, mode, lease_seconds: leaseSeconds = 60, deadline_seconds: deadlineSeconds = 3_600 }) => ({
      type: "start_run",
      kind,
      mode,
      leaseSeconds,
      deadlineSeconds,
    })),
  ),
  [dumpPack.name]: answering(
    dumpPack,
    asked((request) => ({ type: "dump", request })),
  ),
};

function of<Request extends object>(command: (request: Request) => PackCommand): Method {
  return answered(asked(command));
}

/** With the environment and the pack that the path names. */
function asked<Request extends object>(command: (request: Request) => PackCommand) {
  return (request: Request): Command => {
    const { environment_id: environment, pack_id: packId } = request as Partial<PackRef>;
    const named = {
      ...(environment !== undefined && { environment }),
      ...(packId !== undefined && { packId }),
    };
    return { type: "asked", asked: named, command: command(request) };
  };
}

function phaseOf({ phase }: GateRequest): GateRequest {
  return phase === undefined ? {} : { phase };
}
