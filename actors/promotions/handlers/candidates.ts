import { digestOf, handleOf, isRefusal, limits, type Refusal, RefusalError, refuse } from "#base";
import { type Artifact, type ArtifactKind, describeVersion } from "../../kit/activation.ts";
import { ask, tryAsk } from "../../kit/ask.ts";
import { type EntityList, listEntities } from "../../kit/entity-list.ts";
import { checkKnownEnvironment } from "../../kit/known-environment.ts";
import type { PageRequest } from "../../kit/list.ts";
import type { CallContext, Orchestration } from "../../module.ts";
import { makeCandidate, type NewCandidate } from "../directory.ts";
import { defaultGuardrails, guardrailErrors } from "../guardrails.ts";
import { artifactKey, type Guardrail } from "../record.ts";
import { getBrief } from "../service.ts";

interface CreateRequest {
  readonly environment_id: string;
  readonly artifacts: readonly {
    readonly kind: ArtifactKind;
    readonly id: string;
    readonly version: number;
    readonly digest?: string;
  }[];
  readonly name?: string;
  readonly guardrails?: readonly GuardrailRequest[];
}

/** Every artifact is looked up first: a candidate has exact digests, and knows who made what is in it. */
export const createCandidate: Orchestration = async (request, call) => {
  const { environment_id, artifacts, name = "", guardrails: given = [] } = request as CreateRequest;
  checkKnownEnvironment(environment_id, call);
  const guardrails = given.length > 0 ? given.map(guardrailOf) : defaultGuardrails;
  const errors = guardrailErrors(guardrails);
  if (errors.length > 0) throw invalid(errors[0]!.field, errors[0]!.reason, errors);
  const twice = artifacts.findIndex(
    (one, index) => artifacts.findIndex((other) => artifactKey(other) === artifactKey(one)) < index,
  );
  if (twice >= 0) throw invalid(`artifacts[${twice}]`, "is of the same kind and id as another one");
  const found = await Promise.all(artifacts.map((artifact, index) => described(artifact, index, call)));
  const exact = found.map(({ artifact }) => artifact);
  const created: NewCandidate = {
    environment: environment_id,
    name,
    artifacts: exact,
    digest: candidateDigest(environment_id, exact),
    guardrails,
    makers: [...new Set(found.map(({ owner }) => owner).filter((owner) => owner !== ""))],
  };
  return ask(call, makeCandidate, { key: "promotion", request: created, step: "" });
};

/** Whatever the order in which they were named. */
function candidateDigest(environment: string, artifacts: readonly Artifact[]): string {
  const sorted = artifacts
    .map(({ kind, id, version, digest }) => ({ kind, id, version, digest }))
    .sort((a, b) => (artifactKey(a) < artifactKey(b) ? -1 : 1));
  return digestOf({ environment, artifacts: sorted });
}

async function described(
  { kind, id, version, digest }: CreateRequest["artifacts"][number],
  index: number,
  call: CallContext,
): Promise<{ readonly artifact: Artifact; readonly owner: string }> {
  // A candidate of another environment than its target is told so by its preflight.
  const { environment: _, ...anywhere } = call.caller;
  const answer = await describe(kind, id, version, { ...call, caller: anywhere });
  if (isRefusal(answer)) {
    if (answer.code === "NOT_FOUND") throw invalid(`artifacts[${index}]`, answer.detail);
    throw new RefusalError(answer);
  }
  const known = answer.response;
  if (known.kind !== kind)
    throw invalid(`artifacts[${index}].kind`, `is not that of the version: ${known.kind}`);
  if (digest !== undefined && digest !== known.digest)
    throw invalid(`artifacts[${index}].digest`, `is not that of the version: ${known.digest}`);
  return { artifact: { kind, id, version, digest: known.digest }, owner: known.owner };
}

/** To what the artifact is a version of. */
function describe(kind: ArtifactKind, id: string, version: number, call: CallContext) {
  const method = describeVersion[kind === "routing" || kind === "strategy" ? "pool" : kind];
  return tryAsk(call, method, { key: handleOf(id), request: { id, version } });
}

interface GuardrailRequest {
  readonly scope: Guardrail["scope"];
  readonly metric?: string;
  readonly max?: number;
  readonly max_increase?: number;
  readonly min_samples?: number;
  readonly report_only?: boolean;
  readonly slow_ms?: number;
}

function guardrailOf(given: GuardrailRequest): Guardrail {
  const { scope, metric = "", max, max_increase: maxIncrease, slow_ms: slowMs } = given;
  const { min_samples: minSamples = 100, report_only: reportOnly = false } = given;
  return {
    scope,
    metric,
    ...(max !== undefined && { max }),
    ...(maxIncrease !== undefined && { maxIncrease }),
    minSamples,
    reportOnly,
    ...(slowMs !== undefined && { slowMs }),
  };
}

function invalid(
  field: string,
  reason: string,
  fields: Refusal["fields"] = [{ field, reason }],
): RefusalError {
  return new RefusalError(refuse("INVALID_ARGUMENT", `${field} ${reason}`, fields && { fields }));
}

interface ListRequest extends PageRequest {
  readonly state?: string;
  readonly environment_id?: string;
}

export const listCandidates: Orchestration = async (request, call) => {
  const { state, environment_id, ...paging } = request as ListRequest;
  const filter = { state, environment: environment_id };
  const { values, ...page } = await listEntities(candidates, { ...paging, filter }, call);
  return { candidates: values, ...page };
};

const candidates: EntityList = {
  kind: "promotion",
  atOnce: limits.promotionsAskedAtOnce,
  ask: (id, call) => tryAsk(call, getBrief, { key: handleOf(id), request: { candidate_id: id } }),
};
