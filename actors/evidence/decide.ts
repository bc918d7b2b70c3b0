import { digestOf, isRefusal, limits, type Refusal, refuse, uncanonical } from "#base";
import type { Address, Context, Decision } from "#runtime";
import { cutToBytes, type PageRequest } from "../shared/cursor.ts";
import { checkEnvironment } from "../shared/environment.ts";
import type { CanaryReceipt, CandidateNote, GateAnswer, GateQuestion } from "../shared/evidence.ts";
import { evaluateGate, type GatePhase, type GateTarget, type ReceiptType } from "../shared/evidence-gate.ts";
import type { Collection, Counts } from "../shared/records/collection.ts";
import type { EntityPurge } from "../shared/records/directory.ts";
import { limitReached, type Message, nextRecord } from "../shared/records/record.ts";
import { checkVersion } from "../shared/version.ts";
import { explain, gateMessage } from "./explain.ts";
import { checkStatement, type ReceiptRequest, receiptDigest, statementOf, typeOf } from "./receipt.ts";
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
  type Statement,
} from "./record.ts";
import { requirementsOf } from "./requirements.ts";
import {
  cancelRun,
  ended,
  expireRun,
  finishRun,
  heartbeat,
  lostLease,
  type RunCommand,
  startRun,
} from "./runs.ts";
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

type ListRequest = PageRequest & { readonly receipt_type?: string; readonly state?: string };

/** `signed`: what a trusted producer signed, read at the door. */
export interface AddedReceipt extends ReceiptRequest {
  readonly signed?: { readonly type: ReceiptType; readonly statement: Statement; readonly keyId: string };
  readonly run_id?: string;
  readonly lease_token?: string;
}

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

interface ArtifactRequest {
  readonly name: string;
  readonly media_type?: string;
  readonly content?: unknown;
  readonly digest?: string;
  readonly size?: number;
  readonly storage_ref?: string;
}

function addArtifact(pack: Pack, request: Message, context: Context): Decision<Event> {
  const given = request as unknown as ArtifactRequest;
  const measured = measure(given);
  if (isRefusal(measured)) return measured;
  const held = artifacts.holderOf("digests", measured.digest, context);
  if ("need" in held) return held;
  if (held.id !== null) return getArtifact(pack, held.id, context, false);
  if (pack.artifacts.length >= limits.evidenceArtifactsMax)
    return limitReached("a pack", limits.evidenceArtifactsMax, "artifacts");
  const { name, media_type: mediaType = "", storage_ref: storageRef = "", content } = given;
  const artifact: Artifact = {
    id: context.newId(context.address.key),
    name,
    mediaType: mediaType || "application/json",
    ...measured,
    storageRef,
    hasContent: content !== undefined,
    createdAt: context.now,
  };
  return {
    events: [
      {
        type: "artifact_added",
        artifact,
        ...(content !== undefined && { content }),
        now: context.now,
      },
    ],
    answer: artifactMessage(pack, artifact),
  };
}

/** Content is JSON, and its digest is worked out here; without content the caller knows both. */
function measure({
  content,
  digest = "",
  size,
  storage_ref,
}: ArtifactRequest): { digest: string; size: number } | Refusal {
  const wrong = (field: string, reason: string) =>
    refuse("INVALID_ARGUMENT", `${field} ${reason}`, { fields: [{ field, reason }] });
  if (content === undefined) {
    if (digest === "") return wrong("digest", "is required where there is no content");
    if (size === undefined) return wrong("size", "is required where there is no content");
    return { digest, size };
  }
  if (storage_ref) return wrong("storage_ref", "is for artifacts without content");
  const unfit = uncanonical(content, "content");
  if (unfit) return unfit;
  const bytes = Buffer.byteLength(JSON.stringify(content));
  if (bytes > limits.evidenceArtifactBytesMax)
    return wrong("content", `is ${bytes} bytes as JSON, more than ${limits.evidenceArtifactBytesMax}`);
  const own = digestOf(content);
  if (digest !== "" && digest !== own) return wrong("digest", `is not that of the content, which is ${own}`);
  return { digest: own, size: size ?? bytes };
}

function getArtifact(pack: Pack, id: string, context: Context, whole = true): Decision<Event> {
  const artifact = artifacts.get(id, context);
  if (artifact === undefined) return artifacts.need(id);
  if (artifact === null) return refuse("NOT_FOUND", "there is no such artifact in this pack");
  if (!whole || !artifact.hasContent) return { events: [], answer: artifactMessage(pack, artifact) };
  const ref = { collection: "content", key: [id] };
  const content = context.row(ref);
  if (content === undefined) return { need: [ref] };
  return { events: [], answer: artifactMessage(pack, artifact, content) };
}

function addReceipt(state: State, pack: Pack, given: AddedReceipt, context: Context): Decision<Event> {
  if (state.gate.size >= limits.evidenceReceiptsMax)
    return limitReached("a pack", limits.evidenceReceiptsMax, "receipts");
  const made = readReceipt(pack, given, context.now);
  if (isRefusal(made)) return made;
  const { run_id: runId } = given;
  if (runId === undefined) return added(pack, made, undefined, context);
  return withRun(runId, context, (run) => {
    if (run === null) return noRun();
    const lost = lostLease(run, given.lease_token ?? "", context.now);
    if (lost) return lost;
    if (run.state !== "running") return ended(run);
    if (run.kind !== made.type)
      return refuse(
        "INVALID_ARGUMENT",
        `the run brings a ${run.kind} receipt, not one of type ${made.type}`,
        {
          fields: [{ field: "run_id", reason: `is a run of kind ${run.kind}` }],
        },
      );
    return added(pack, made, run, context);
  });
}

interface ReadReceipt {
  readonly type: ReceiptType;
  readonly statement: Statement;
  readonly keyId: string;
}

function readReceipt(pack: Pack, given: AddedReceipt, now: number): ReadReceipt | Refusal {
  if (given.signed) return checkStatement(given.signed.type, given.signed.statement, now) ?? given.signed;
  const type = typeOf(given);
  if (type === undefined)
    return refuse("INVALID_ARGUMENT", "a receipt has exactly one type", {
      fields: [{ field: "receipt", reason: "one of its types is required" }],
    });
  const statement = statementOf(type, given, pack, now);
  return isRefusal(statement) ? statement : { type, statement, keyId: "" };
}

function added(pack: Pack, read: ReadReceipt, run: Run | undefined, context: Context): Decision<Event> {
  const { type, statement, keyId } = read;
  const receipt: Receipt = {
    id: context.newId(context.address.key),
    type,
    statement,
    digest: receiptDigest(statement),
    runId: run?.id ?? "",
    producerKeyId: keyId,
    createdBy: context.caller?.subject ?? "",
    createdAt: context.now,
  };
  const { result } = statement.predicate;
  return {
    events: [
      { type: "receipt_added", receipt, now: context.now },
      ...(run ? [finishRun(run, { id: receipt.id, result }, context.now)] : []),
    ],
    answer: receiptMessage(pack, receipt),
  };
}

/** A promotion says what its canary showed: no caller can. */
function addCanary(state: State, told: CanaryReceipt, context: Context): Decision<Event> {
  const { pack } = state;
  if (pack?.id !== told.packId || pack.state === "archived" || pack.candidate?.id !== told.candidateId)
    return { events: [] };
  const request: ReceiptRequest = {
    canary: { figures: told.details },
    result: told.result,
    subjects: [{ name: `candidate/${told.candidateId}`, digest: told.candidateDigest }],
  };
  const statement = statementOf("canary", request, pack, context.now);
  if (isRefusal(statement)) return { events: [] };
  const { events } = added(pack, { type: "canary", statement, keyId: "" }, undefined, context) as {
    events: Event[];
  };
  return { events };
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

/** Pages of receipts, and with the first one everything else. */
function dump(state: State, pack: Pack, request: ListRequest, context: Context): Decision<Event> {
  const all = artifacts.some(limits.evidenceArtifactsMax, undefined, context);
  if ("need" in all) return all;
  return list(state, receipts, state.receiptCounts, request, {}, context, (page) => ({
    pack,
    artifacts: all.values,
    receipts: page,
  }));
}

function list<Value extends { readonly id: string }>(
  state: State,
  collection: Collection<Value>,
  counts: Counts,
  request: ListRequest,
  filter: Readonly<Record<string, string | undefined>>,
  context: Context,
  shown: (values: readonly Value[]) => object,
): Decision<Event> {
  const page = collection.page(counts, { request, filter, secret: state.secret }, context);
  if (isRefusal(page) || "need" in page) return page;
  const values = cutToBytes(page.values);
  const more = page.more || values.length < page.values.length;
  const secret = state.secret || context.secret(limits.secretBytes);
  const drawn: Event[] = state.secret === "" && more ? [{ type: "secret_drawn", secret }] : [];
  const answer = {
    ...shown(values),
    next_page_token: more ? page.cursorAfter(values.at(-1)!.id, secret) : "",
    total: page.total,
  };
  return { events: drawn, answer };
}

function withRun(id: string, context: Context, then: (run: Run | null) => Decision<Event>): Decision<Event> {
  const run = runs.get(id, context);
  return run === undefined ? runs.need(id) : then(run);
}

function noRun(): Refusal {
  return refuse("NOT_FOUND", "there is no such run in this environment");
}

function archived(): Refusal {
  return refuse("STATE_CONFLICT", "the pack is archived", { extra: { state: "archived" } });
}
