/**
 * Owns rollout evidence: entity (evidence_pack, tenant, handle) has one pack with its artifacts, receipts and runs. The gate over
 * them is `kit/evidence-gate.ts`; promotions ask it by message, and hear when the digest of their pack has changed.
 *
 * 1. An artifact and a receipt never change; an archived pack takes nothing more.
 * 2. The digest of a pack is that of what is in it, whatever the order in which it came.
 * 3. Only a promotion of the service gives canary receipts; a receipt counts as signed by its producer only where the handler found the
 *    signature of a key that the tenant trusts.
 * 4. Only the owner of a run's lease ends it with a receipt, and no heartbeat moves the lease beyond the deadline.
 * 5. An export has the fields of `manifest.ts` and no others.
 *
 * Publishes evidence_pack.* and evidence_run.*. Nothing that was answered is lost; places of storage are kept and never visited.
 */
import { defineActor } from "#runtime";
import type { EntityPurge } from "../kit/directory.ts";
import type { CanaryReceipt, CandidateNote, GateQuestion } from "../kit/evidence.ts";
import { checkKnownEnvironment } from "../kit/known-environment.ts";
import type { Module } from "../module.ts";
import type { ModuleParts } from "../parts.ts";
import { type Command, decideWith } from "./decide.ts";
import { packDirectory } from "./directory.ts";
import { expandRequirements, expansionVersion } from "./expand.ts";
import { attachToPromotion } from "./handlers/attach.ts";
import { exportPack } from "./handlers/export.ts";
import { createPack, listPacks } from "./handlers/packs.ts";
import { acceptReceipt } from "./handlers/receipts.ts";
import { startRun } from "./handlers/runs.ts";
import { type PackCreation, packKind } from "./record.ts";
import { methods } from "./service.ts";
import { apply, bytesOf, empty, resident, restore } from "./state.ts";

type Incoming = PackCreation | EntityPurge | GateQuestion | CandidateNote | CanaryReceipt;

export function evidence(parts: Pick<ModuleParts, "settings" | "signer" | "contractSha256">): Module {
  const { signer, contractSha256 } = parts;
  return {
    name: "evidence",
    actors: [
      defineActor({
        kind: packKind,
        placement: "key",
        empty,
        resident,
        restore,
        bytesOf,
        environmentOf: ({ pack }) => pack?.environment,
        decide: decideWith(contractSha256),
        apply,
        methods,
        onMessage: (message: Incoming, from): Command =>
          message.type === "gate" ? { type: "gate_question", from, question: message } : message,
        onTimer: (timer): Command => ({ type: "run_due", runId: timer.slice("run ".length) }),
      }),
    ],
    directories: [packDirectory],
    orchestrations: {
      "EvidenceService.CreatePack": createPack,
      "EvidenceService.ListPacks": listPacks,
      "EvidenceService.AttachToPromotion": attachToPromotion,
      "EvidenceService.AddReceipt": acceptReceipt(parts),
      "EvidenceService.StartRun": startRun(parts),
      "EvidenceService.ExportPack": exportPack(parts),
      async "EvidenceService.ExpandRequirements"(request, call) {
        checkKnownEnvironment(request.environment_id, call);
        return { version: expansionVersion, requirements: expandRequirements(request) };
      },
      async "EvidenceService.GetKeys"() {
        const { keyId: kid, publicX: x } = signer;
        return { keys: [{ kty: "OKP", crv: "Ed25519", x, kid, use: "sig", alg: "EdDSA" }] };
      },
    },
  };
}
