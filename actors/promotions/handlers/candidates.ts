import { digestOf, isRefusal, limits, type Refusal, RefusalError, refuse } from "#base";
import { type Artifact, type ArtifactKind, describeVersion, targetAddress } from "../../kit/activation.ts";
import { ask, tryAsk } from "../../kit/ask.ts";
import { directoryOf } from "../../kit/directory.ts";
import { type EntityList, listEntities } from "../../kit/entity-list.ts";
import { promotionAddress } from "../../kit/evidence.ts";
import { checkKnownEnvironment } from "../../kit/known-environment.ts";
import type { PageRequest } from "../../kit/list.ts";
import type { Message } from "../../kit/record.ts";
import type { CallContext, Orchestration } from "../../module.ts";
import type { NewCandidate } from "../directory.ts";
import { defaultGuardrails, guardrailErrors } from "../guardrails.ts";
import { artifactKey, type Guardrail } from "../record.ts";

interface CreateRequest {
  readonly environment_id: string;
  readonly artifacts: readonly {
    readonly kind: ArtifactKind;
    readonly id: string;
    readonly version: number;
    readonly digest?: string;
  }[];
  readonly name?: string;
  readonly guardrails?: readonly Message[];
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
  return ask(call, {
    to: directoryOf(call.caller.tenant, "promotion"),
    method: "Promotion.Create",
    request: created,
    step: "",
  });
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
  const answer = await tryAsk({ ...call, caller: anywhere }, versionQuestion(kind, id, version, call));
  if (isRefusal(answer)) {
    if (answer.code === "NOT_FOUND") throw invalid(`artifacts[${index}]`, answer.detail);
    throw new RefusalError(answer);
  }
  const known = answer.response as { readonly kind: string; readonly digest: string; readonly owner: string };
  if (known.kind !== kind)
    throw invalid(`artifacts[${index}].kind`, `is not that of the version: ${known.kind}`);
  if (digest !== undefined && digest !== known.digest)
    throw invalid(`artifacts[${index}].digest`, `is not that of the version: ${known.digest}`);
  return { artifact: { kind, id, version, digest: known.digest }, owner: known.owner };
}

/** To what the artifact is a version of. */
function versionQuestion(kind: ArtifactKind, id: string, version: number, { caller }: CallContext) {
  const to = targetAddress(caller.tenant, { id, artifacts: [{ kind, id, version, digest: "" }] }, "check");
  switch (kind) {
    case "routing":
    case "strategy":
      return { to, method: describeVersion.pool.name, request: { id, version } };
    case "workflow":
      return { to, method: describeVersion.workflow.name, request: { id, version } };
    case "connector":
      return { to, method: describeVersion.connector.name, request: { id, version } };
  }
}

function guardrailOf(given: Message): Guardrail {
  const { scope, metric = "", max, max_increase, min_samples = 100, report_only = false, slow_ms } = given;
  return {
    scope: scope as Guardrail["scope"],
    metric: metric as string,
    ...(max !== undefined && { max: max as number }),
    ...(max_increase !== undefined && { maxIncrease: max_increase as number }),
    minSamples: min_samples as number,
    reportOnly: report_only as boolean,
    ...(slow_ms !== undefined && { slowMs: slow_ms as number }),
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
  const filter = {
    ...(state !== undefined && { state }),
    ...(environment_id !== undefined && { environment: environment_id }),
  };
  const { values, ...page } = await listEntities(candidates, { ...paging, filter }, call);
  return { candidates: values, ...page };
};

const candidates: EntityList = {
  kind: "promotion",
  atOnce: limits.promotionsAskedAtOnce,
  ask: (id, call) =>
    tryAsk(call, {
      to: promotionAddress(call.caller.tenant, id),
      method: "Promotion.GetBrief",
      request: { candidate_id: id },
    }),
};
