import { isRefusal, limits, type Refusal, refuse } from "#base";
import type { Address, Context, Decided, Decision } from "#runtime";
import type { EntityPurge } from "../kit/directory.ts";
import { checkEnvironment } from "../kit/environment.ts";
import type {
  AddedReceipt,
  CanaryReceipt,
  CandidateNote,
  GateAnswer,
  GateQuestion,
} from "../kit/evidence.ts";
import { evaluateGate, type GatePhase, type GateTarget } from "../kit/evidence-gate.ts";
import { listed, type PageRequest } from "../kit/list.ts";
import { nextRecord } from "../kit/record.ts";
import { checkVersion } from "../kit/version.ts";
import { type ArtifactRequest, addArtifact, getArtifact } from "./artifacts.ts";
import { explain, gateMessage } from "./explain.ts";
import type { DumpPage } from "./manifest.ts";
import { addCanary, addReceipt } from "./receipts.ts";
import {
  artifactMessage,
  type Pack,
  type PackCreation,
  packDigest,
  packMessage,
  receiptMessage,
  runMessage,
} from "./record.ts";
import { type PackSettings, requirementsOf } from "./requirements.ts";
import { cancelRun, expireRun, heartbeat, noRun, type RunCommand, startRun } from "./runs.ts";
import { artifacts, countsOf, type Event, receipts, runs, type State } from "./state.ts";

/** A command of a caller: which pack, and the environment that the path names. */
interface Asked {
  /** Absent: no path names one. */
  readonly environment?: string;
  /** Absent: a run's id names the pack. */
  readonly packId?: string;
}

type ReadCommand =
  | { readonly type: "get" }
  | { readonly type: "get_artifact"; readonly artifactId: string }
  | { readonly type: "list_artifacts" | "list_receipts" | "list_runs"; readonly request: ListRequest }
  | { readonly type: "gate" | "explain"; readonly phase?: GatePhase }
  /** All of it but contents, for an export: pages of receipts, each with everything else. */
  | { readonly type: "dump"; readonly request: PageRequest }
  | { readonly type: "get_run"; readonly runId: string };

type WriteCommand =
  | { readonly type: "update"; readonly given: PackSettings; readonly version?: number }
  | { readonly type: "archive" }
  | { readonly type: "add_artifact"; readonly given: ArtifactRequest }
  | { readonly type: "add_receipt"; readonly given: AddedReceipt }
  | RunCommand;

export type PackCommand = ReadCommand | WriteCommand;

export type ListRequest = PageRequest & { readonly receipt_type?: string; readonly state?: string };

export type Command =
  | PackCreation
  | EntityPurge
  | { readonly type: "asked"; readonly asked: Asked; readonly command: PackCommand }
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
      case "asked": {
        const pack = found(state, command.asked, context);
        return isRefusal(pack) ? pack : decideAsked(state, pack, command.command, context, contractSha);
      }
    }
  };
}

function found(state: State, { environment, packId }: Asked, { caller }: Context): Pack | Refusal {
  const { pack } = state;
  if (!pack || (packId !== undefined && pack.id !== packId))
    return refuse("NOT_FOUND", "there is no such evidence pack");
  if (environment !== undefined && pack.environment !== environment)
    return refuse("NOT_FOUND", `there is no such evidence in environment ${environment}`);
  return checkEnvironment(pack.environment, caller) ?? pack;
}

function decideAsked(
  state: State,
  pack: Pack,
  command: PackCommand,
  context: Context,
  contractSha: ContractSha,
): Decision<Event> {
  switch (command.type) {
    case "get":
      return { events: [], answer: packMessage(pack, countsOf(state)) };
    case "get_artifact":
      return getArtifact(pack, command.artifactId, context);
    case "list_artifacts":
      return listed(
        "artifacts",
        artifacts.page(state.artifactCounts, command, (one) => artifactMessage(pack, one), context),
      );
    case "list_receipts": {
      const { receipt_type: type } = command.request;
      const asked = { request: command.request, filter: { type } };
      return listed(
        "receipts",
        receipts.page(state.receiptCounts, asked, (one) => receiptMessage(pack, one), context),
      );
    }
    case "list_runs": {
      const asked = { request: command.request, filter: { state: command.request.state } };
      return listed(
        "runs",
        runs.page(state.runCounts, asked, (one) => runMessage(pack, one), context),
      );
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
      const run = runs.get(command.runId, context);
      return run === null ? noRun() : { events: [], answer: runMessage(pack, run) };
    }
    case "gate":
    case "explain": {
      const target = targetOf(pack, contractSha(), context.now, command.phase);
      const message = command.type === "gate" ? gateMessage : explain;
      return { events: [], answer: message(pack, state.gate, target) };
    }
    default:
      if (pack.state === "archived") return archived();
      return write(state, pack, command, context);
  }
}

function write(state: State, pack: Pack, command: WriteCommand, context: Context): Decision<Event> {
  switch (command.type) {
    case "update":
      return update(state, pack, command, context.now);
    case "archive":
      return archive(state, pack, context.now);
    case "add_artifact":
      return addArtifact(pack, command.given, context);
    case "add_receipt":
      return addReceipt(state, pack, command.given, context);
    case "start_run":
      return startRun(state, pack, command, context);
    case "heartbeat":
    case "cancel_run": {
      const run = runs.get(command.runId, context);
      if (run === null) return noRun();
      if (command.type === "heartbeat") return heartbeat(pack, run, command, context.now);
      return cancelRun(pack, run, command.reason, context.now);
    }
  }
}

/** A pack that was removed has no runs. */
function expire({ pack }: State, runId: string, context: Context): Decision<Event> {
  const run = pack ? runs.get(runId, context) : null;
  return run === null ? { events: [] } : expireRun(run, context.now);
}

function update(
  state: State,
  pack: Pack,
  { given, version }: Extract<PackCommand, { type: "update" }>,
  now: number,
): Decision<Event> {
  const conflict = checkVersion(pack.recordVersion, version);
  if (conflict) return conflict;
  const requirements = requirementsOf(given.requirements);
  if (isRefusal(requirements)) return requirements;
  const { name, labels = {} } = given;
  return put(state, pack, { ...pack, name, labels, requirements }, now);
}

function archive(state: State, pack: Pack, now: number): Decision<Event> {
  if (pack.candidate?.open)
    return refuse(
      "FAILED_PRECONDITION",
      `the promotion ${pack.candidate.id} is open and rests on this pack`,
      {
        reason: "PACK_IN_USE",
        extra: { candidate_id: pack.candidate.id },
      },
    );
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

function archived(): Refusal {
  return refuse("STATE_CONFLICT", "the pack is archived", { extra: { state: "archived" } });
}
