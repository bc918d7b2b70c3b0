import type { EvidenceServiceStartRunRequest } from "#protos";
import type { EntityMethod } from "#runtime";
import { method } from "../kit/ask.ts";
import { addReceipt, type PackRef } from "../kit/evidence.ts";
import type { PageRequest } from "../kit/list.ts";
import { answeredMethods, answering } from "../kit/methods.ts";
import type { Message } from "../kit/record.ts";
import type { Command } from "./decide.ts";
import type { DumpPage } from "./manifest.ts";
import { packKind } from "./record.ts";
import type { Event, State } from "./state.ts";

/** In whatever environment the caller may see. */
export const findPack = method<Pick<PackRef, "pack_id">, Message>(packKind, "Find");

/** The handler has seen that the environment takes runs of this mode. */
export const beginRun = method<EvidenceServiceStartRunRequest, Message>(packKind, "BeginRun");

export const dumpPack = method<PackRef & PageRequest, DumpPage>(packKind, "Dump");

export const methods: Readonly<Record<string, EntityMethod<State, Command, Event>>> = {
  ...answeredMethods<Command>({
    "EvidenceService.GetPack": (request) => ({ type: "get", request }),
    "EvidenceService.UpdatePack": (request) => ({ type: "update", request }),
    "EvidenceService.ArchivePack": (request) => ({ type: "archive", request }),
    "EvidenceService.AddArtifact": (request) => ({ type: "add_artifact", request }),
    "EvidenceService.GetArtifact": (request) => ({ type: "get_artifact", request }),
    "EvidenceService.ListArtifacts": (request) => ({ type: "list_artifacts", request }),
    "EvidenceService.ListReceipts": (request) => ({ type: "list_receipts", request }),
    "EvidenceService.ListRuns": (request) => ({ type: "list_runs", request }),
    "EvidenceService.EvaluateGate": (request) => ({ type: "gate", request }),
    "EvidenceService.ExplainPack": (request) => ({ type: "explain", request }),
    "EvidenceService.GetRun": (request) => ({ type: "get_run", request }),
    "EvidenceService.HeartbeatRun": (request) => ({ type: "heartbeat", request }),
    "EvidenceService.CancelRun": (request) => ({ type: "cancel_run", request }),
  }),
  [findPack.name]: answering(findPack, (request) => ({ type: "get", request })),
  [addReceipt.name]: answering(addReceipt, (request) => ({ type: "add_receipt", request })),
  [beginRun.name]: answering(beginRun, (request) => ({ type: "start_run", request })),
  [dumpPack.name]: answering(dumpPack, (request) => ({ type: "dump", request })),
};
