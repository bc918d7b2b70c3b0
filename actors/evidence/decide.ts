import { isRefusal, limits, refuse } from "#base";
import type {
  AddArtifactRequest,
  EvaluateGateRequest,
  EvidenceServiceCancelRunRequest,
  EvidenceServiceGetRunRequest,
  EvidenceServiceHeartbeatRunRequest,
  EvidenceServiceListRunsRequest,
  EvidenceServiceStartRunRequest,
  GetArtifactRequest,
  ListArtifactsRequest,
  ListReceiptsRequest,
  UpdatePackRequest,
} from "#protos";
import type { Address, Context, Decided, Decision } from "#runtime";
import type { EntityPurge } from "../kit/directory.ts";
import { checkEnvironment } from "../kit/environment.ts";
import type {
  AddedReceipt,
  CanaryReceipt,
  CandidateNote,
  GateAnswer,
  GateQuestion,
  PackRef,
} from "../kit/evidence.ts";
import { evaluateGate, type GatePhase, type GateTarget } from "../kit/evidence-gate.ts";
import { listed, type PageRequest } from "../kit/list.ts";
import { nextRecord } from "../kit/record.ts";
import { checkVersion } from "../kit/version.ts";
import { addArtifact, getArtifact } from "./artifacts.ts";
import { explain, gateMessage } from "./explain.ts";
import type { DumpPage } from "./manifest.ts";
import { addCanary, addReceipt } from "./receipts.ts";
import {
  type Artifact,
  artifactMessage,
  type Pack,
  type PackCreation,
  packDigest,
  packMessage,
  type Receipt,
  type Run,
  receiptMessage,
  runMessage,
} from "./record.ts";
import { requirementsOf } from "./requirements.ts";
import { cancelRun, expireRun, heartbeat, noRun, startRun } from "./runs.ts";
import { artifacts, countsOf, type Event, receipts, runs, type State } from "./state.ts";

/** What callers ask, as they ask it. */
type Asked =
  | { readonly type: "get"; readonly request: Partial<PackRef> }
  | { readonly type: "get_artifact"; readonly request: GetArtifactRequest }
  | { readonly type: "list_artifacts"; readonly request: ListArtifactsRequest }
  | { readonly type: "list_receipts"; readonly request: ListReceiptsRequest }
  | { readonly type: "list_runs"; readonly request: EvidenceServiceListRunsRequest }
  | { readonly type: "gate" | "explain"; readonly request: EvaluateGateRequest }
  /** All of it but contents, for an export: pages of receipts, each with everything else. */
  | { readonly type: "dump"; readonly request: PackRef & PageRequest }
  | { readonly type: "get_run"; readonly request: EvidenceServiceGetRunRequest }
  | Change;

type Change =
  | { readonly type: "update"; readonly request: UpdatePackRequest }
  | { readonly type: "archive"; readonly request: PackRef }
  | { readonly type: "add_artifact"; readonly request: AddArtifactRequest }
  | { readonly type: "add_receipt"; readonly request: AddedReceipt }
  | { readonly type: "start_run"; readonly request: EvidenceServiceStartRunRequest }
  | { readonly type: "heartbeat"; readonly request: EvidenceServiceHeartbeatRunRequest }
  | { readonly type: "cancel_run"; readonly request: EvidenceServiceCancelRunRequest };

export type Command =
  | PackCreation
  | EntityPurge
  | Asked
  | { readonly type: "gate_question"; readonly from: Address; readonly question: GateQuestion }
  | CandidateNote
  | CanaryReceipt
  | { readonly type: "run_due"; readonly runId: string };

/** What a gate needs of the service: the contract whose conformance counts. */
export type ContractSha = () => string;

/** Every decision for a caller has its `answer`. */
export function decideWith(contractSha: ContractSha) {
  return (state: State, command: Command, context: Context): Decision<Event> => {
    switch (command.type) {
      case "create":
        return { events: state.pack ? [] : [{ type: "created", pack: command.pack }] };
      case "purge":
        return { events: [{ type: "purged", id: command.id }], frees: true };
      case "gate_question":
        return answerGate(state, command, contractSha(), context.now);
      case "candidate":
        return noteCandidate(state, command, context.now);
      case "canary_receipt":
        return addCanary(state, command, context);
      case "run_due":
        return expire(state, command.runId, context);
      default: {
        const pack = found(state, command.request, context);
        return isRefusal(pack) ? pack : decideAsked(state, pack, command, context, contractSha);
      }
    }
  };
}

/** The pack, where it is the one that a request names: a path may name its environment, and a run's id names the pack. */
function found({ pack }: State, { environment_id, pack_id }: Partial<PackRef>, { caller }: Context) {
  if (!pack || (pack_id !== undefined && pack.id !== pack_id))
    return refuse("NOT_FOUND", "there is no such evidence pack");
  if (environment_id !== undefined && pack.environment !== environment_id)
    return refuse("NOT_FOUND", `there is no such evidence in environment ${environment_id}`);
  return checkEnvironment(pack.environment, caller) ?? pack;
}

function decideAsked(
  state: State,
  pack: Pack,
  command: Asked,
  context: Context,
  contractSha: ContractSha,
): Decision<Event> {
  switch (command.type) {
    case "get":
      return { events: [], answer: packMessage(pack, countsOf(state)) };
    case "get_artifact":
      return getArtifact(pack, command.request.artifact_id, context);
    case "list_artifacts": {
      const show = (artifact: Artifact) => artifactMessage(pack, artifact);
      return listed("artifacts", artifacts.page(state.artifactCounts, command, show, context));
    }
    case "list_receipts": {
      const { request } = command;
      const show = (receipt: Receipt) => receiptMessage(pack, receipt);
      const asked = { request, filter: { type: request.receipt_type } };
      return listed("receipts", receipts.page(state.receiptCounts, asked, show, context));
    }
    case "list_runs": {
      const { request } = command;
      const show = (run: Run) => runMessage(pack, run);
      const asked = { request, filter: { state: request.state } };
      return listed("runs", runs.page(state.runCounts, asked, show, context));
    }
    case "dump": {
      const page = receipts.page(state.receiptCounts, command, (receipt) => receipt, context);
      if (isRefusal(page)) return page;
      const { values, next_page_token } = page;
      const all = artifacts.some(limits.evidenceArtifactsMax, undefined, context);
      const answer: DumpPage = { pack, artifacts: all, receipts: values, next_page_token };
      return { events: [], answer };
    }
    case "get_run": {
      const run = runs.get(command.request.run_id, context);
      return run === null ? noRun() : { events: [], answer: runMessage(pack, run) };
    }
    case "gate":
    case "explain": {
      const target = targetOf(pack, contractSha(), context.now, command.request.phase);
      const message = command.type === "gate" ? gateMessage : explain;
      return { events: [], answer: message(pack, state.gate, target) };
    }
    default:
      if (pack.state === "archived")
        return refuse("STATE_CONFLICT", "the pack is archived", { extra: { state: "archived" } });
      return change(state, pack, command, context);
  }
}

function change(state: State, pack: Pack, { type, request }: Change, context: Context): Decision<Event> {
  switch (type) {
    case "update":
      return update(state, pack, request, context.now);
    case "archive":
      return archive(state, pack, context.now);
    case "add_artifact":
      return addArtifact(pack, request, context);
    case "add_receipt":
      return addReceipt(state, pack, request, context);
    case "start_run":
      return startRun(state, pack, request, context);
    case "heartbeat":
    case "cancel_run": {
      const run = runs.get(request.run_id, context);
      if (run === null) return noRun();
      if (type === "heartbeat") return heartbeat(pack, run, request, context.now);
      return cancelRun(pack, run, request.reason ?? "", context.now);
    }
  }
}

/** A pack that was removed has no runs. */
function expire({ pack }: State, runId: string, context: Context): Decision<Event> {
  const run = pack ? runs.get(runId, context) : null;
  return run === null ? { events: [] } : expireRun(run, context.now);
}

function update(state: State, pack: Pack, request: UpdatePackRequest, now: number): Decision<Event> {
  const conflict = checkVersion(pack.recordVersion, request.record_version);
  if (conflict) return conflict;
  const requirements = requirementsOf(request.requirements);
  if (isRefusal(requirements)) return requirements;
  const { name, labels = {} } = request;
  return put(state, pack, { ...pack, name, labels, requirements }, now);
}

function archive(state: State, pack: Pack, now: number): Decision<Event> {
  const { candidate } = pack;
  if (candidate?.open)
    return refuse("FAILED_PRECONDITION", `the promotion ${candidate.id} is open and rests on this pack`, {
      reason: "PACK_IN_USE",
      extra: { candidate_id: candidate.id },
    });
  return put(state, pack, { ...pack, state: "archived" }, now);
}

function put(state: State, before: Pack, changed: Pack, now: number): Decided<Event> {
  const digest = packDigest(changed, state.gate.values());
  const pack = nextRecord(before, { ...changed, digest }, now);
  if (!pack) return { events: [], answer: packMessage(before, countsOf(state)) };
  return { events: [{ type: "put", pack }], answer: packMessage(pack, countsOf(state)) };
}

/** The first candidate that takes the pack keeps it while it is open. */
function noteCandidate(state: State, note: CandidateNote, now: number): Decision<Event> {
  const { pack } = state;
  if (pack?.id !== note.packId) return { events: [] };
  if (pack.candidate?.open && pack.candidate.id !== note.candidateId) return { events: [] };
  if (pack.state === "archived" && note.open) return { events: [] };
  const candidate = { id: note.candidateId, digest: note.candidateDigest, open: note.open };
  return { events: put(state, pack, { ...pack, candidate }, now).events };
}

function answerGate(
  state: State,
  { from, question }: Extract<Command, { type: "gate_question" }>,
  contractSha256: string,
  now: number,
): Decision<Event> {
  const { ref, packId, candidateId, phase } = question;
  const { pack } = state;
  const isFound = pack?.id === packId && pack.candidate?.id === candidateId;
  const result = isFound
    ? evaluateGate(pack.requirements, [...state.gate.values()], targetOf(pack, contractSha256, now, phase))
    : { satisfied: false, requirements: [] };
  const digest = isFound ? pack.digest : "";
  const answer: GateAnswer = { type: "gated", ref, packId, found: isFound, digest, ...result };
  return { events: [{ type: "gate_answered", to: from, answer }] };
}

function targetOf(pack: Pack, contractSha256: string, now: number, phase: GatePhase | undefined): GateTarget {
  return {
    candidateId: pack.candidate?.id ?? "",
    candidateDigest: pack.candidate?.digest ?? "",
    environment: pack.environment,
    contractSha256,
    now,
    ...(phase !== undefined && { phase }),
  };
}
