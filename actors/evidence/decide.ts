import { isRefusal, type Refusal, refuse } from "#base";
import type { Address, Context, Decision } from "#runtime";
import type { EntityPurge } from "../kit/directory.ts";
import { checkEnvironment } from "../kit/environment.ts";
import type { CanaryReceipt, CandidateNote, GateAnswer, GateQuestion } from "../kit/evidence.ts";
import { evaluateGate, type GatePhase, type GateTarget } from "../kit/evidence-gate.ts";
import { type Message, nextRecord } from "../kit/record.ts";
import { checkVersion } from "../kit/version.ts";
import { addArtifact, getArtifact } from "./artifacts.ts";
import { explain, gateMessage } from "./explain.ts";
import { dump, type ListRequest, list } from "./lists.ts";
import { type AddedReceipt, addCanary, addReceipt } from "./receipts.ts";
import {
  artifactMessage,
  type Pack,
  type PackCreation,
  packDigest,
  packMessage,
  receiptMessage,
  runMessage,
} from "./record.ts";
import { requirementsOf } from "./requirements.ts";
import { cancelRun, expireRun, heartbeat, noRun, type RunCommand, startRun, withRun } from "./runs.ts";
import { artifacts, countsOf, type Event, receipts, runs, type State } from "./state.ts";

/** A command of a caller: which pack, and the environment that the path names. */
interface Asked {
  /** Absent: no path names one. */
  readonly environment?: string;
  /** Absent: a run's id names the pack. */
  readonly packId?: string;
}

export type PackCommand =
  | { readonly type: "get" }
  | { readonly type: "update"; readonly given: Message; readonly version?: number }
  | { readonly type: "archive" }
  | { readonly type: "add_artifact"; readonly given: Message }
  | { readonly type: "get_artifact"; readonly artifactId: string }
  | { readonly type: "list_artifacts" | "list_receipts" | "list_runs"; readonly request: ListRequest }
  | { readonly type: "add_receipt"; readonly given: AddedReceipt }
  | { readonly type: "gate" | "explain"; readonly phase?: GatePhase }
  /** All of it but contents, for an export. */
  | { readonly type: "dump"; readonly request: ListRequest }
  | RunCommand;

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
        return state.pack === undefined
          ? { events: [] }
          : withRun(command.runId, context, (run) =>
              run === null ? { events: [] } : expireRun(run, context.now),
            );
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
      return list(state, artifacts, state.artifactCounts, command.request, {}, context, (page) => ({
        artifacts: page.map((artifact) => artifactMessage(pack, artifact)),
      }));
    case "list_receipts": {
      const { receipt_type: type } = command.request;
      return list(state, receipts, state.receiptCounts, command.request, { type }, context, (page) => ({
        receipts: page.map((receipt) => receiptMessage(pack, receipt)),
      }));
    }
    case "list_runs": {
      const { state: inState } = command.request;
      return list(state, runs, state.runCounts, command.request, { state: inState }, context, (page) => ({
        runs: page.map((run) => runMessage(pack, run)),
      }));
    }
    case "dump":
      return dump(state, pack, command.request, context);
    case "get_run":
      return withRun(command.runId, context, (run) =>
        run === null ? noRun() : { events: [], answer: runMessage(pack, run) },
      );
    case "gate":
    case "explain": {
      const target = targetOf(pack, contractSha(), context.now, command.phase);
      const told = command.type === "gate" ? gateMessage : explain;
      return { events: [], answer: told(pack, state.gate, target) };
    }
    default:
      if (pack.state === "archived") return archived();
      return write(state, pack, command, context);
  }
}

function write(
  state: State,
  pack: Pack,
  command: Exclude<
    PackCommand,
    {
      type:
        | "get"
        | "get_artifact"
        | "list_artifacts"
        | "list_receipts"
        | "list_runs"
        | "get_run"
        | "gate"
        | "explain"
        | "dump";
    }
  >,
  context: Context,
): Decision<Event> {
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
      return withRun(command.runId, context, (run) =>
        run === null ? noRun() : heartbeat(pack, run, command, context.now),
      );
    case "cancel_run":
      return withRun(command.runId, context, (run) =>
        run === null ? noRun() : cancelRun(pack, run, command.reason, context.now),
      );
  }
}

function update(
  state: State,
  pack: Pack,
  { given, version }: Extract<PackCommand, { type: "update" }>,
  now: number,
): Decision<Event> {
  const conflict = checkVersion(pack.recordVersion, version);
  if (conflict) return conflict;
  const requirements = requirementsOf(given.requirements as Parameters<typeof requirementsOf>[0]);
  if (isRefusal(requirements)) return requirements;
  const { name, labels = {} } = given as { name: string; labels?: Pack["labels"] };
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

function put(state: State, before: Pack, changed: Pack, now: number): Decision<Event> {
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
  const { events } = put(state, pack, { ...pack, candidate }, now) as { events: readonly Event[] };
  return { events };
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
  return { events: [{ type: "told", to: from, answer }] };
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
