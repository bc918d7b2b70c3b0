import { digestOf, handleOf, invalid, isRefusal, limits, RefusalError } from "#base";
import type { PromotionArtifact } from "#protos";
import { type Artifact, describeVersion } from "../../kit/activation.ts";
import { ask, tryAsk } from "../../kit/ask.ts";
import { listing } from "../../kit/entity-list.ts";
import { checkKnownEnvironment } from "../../kit/known-environment.ts";
import type { CallContext, Handler } from "../../module.ts";
import { makeCandidate, type NewCandidate } from "../directory.ts";
import { defaultGuardrails, guardrailErrors, guardrailOf } from "../guardrails.ts";
import { artifactKey } from "../record.ts";
import { getBrief } from "../service.ts";

/** Every artifact is looked up first: a candidate has exact digests, and knows who made what is in it. */
export const createCandidate: Handler<"PromotionService.CreateCandidate"> = async (request, call) => {
  const { environment_id, artifacts, name = "", guardrails: given = [] } = request;
  checkKnownEnvironment(environment_id, call);
  const guardrails = given.length > 0 ? given.map(guardrailOf) : defaultGuardrails;
  const errors = guardrailErrors(guardrails);
  if (errors.length > 0) throw new RefusalError(invalid(...errors));
  const twice = artifacts.findIndex(
    (one, index) => artifacts.findIndex((other) => artifactKey(other) === artifactKey(one)) < index,
  );
  if (twice >= 0) throw wrong(`artifacts[${twice}]`, "is of the same kind and id as another one");
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
  { kind, id, version, digest }: PromotionArtifact,
  index: number,
  call: CallContext,
): Promise<{ readonly artifact: Artifact; readonly owner: string }> {
  // A candidate of another environment than its target is told so by its preflight.
  const { environment: _, ...anywhere } = call.caller;
  const method = describeVersion[kind === "routing" || kind === "strategy" ? "pool" : kind];
  const asked = { key: handleOf(id), request: { id, version } };
  const answer = await tryAsk({ ...call, caller: anywhere }, method, asked);
  if (isRefusal(answer)) {
    if (answer.code === "NOT_FOUND") throw wrong(`artifacts[${index}]`, answer.detail);
    throw new RefusalError(answer);
  }
  const known = answer.response;
  if (known.kind !== kind)
    throw wrong(`artifacts[${index}].kind`, `is not that of the version: ${known.kind}`);
  if (digest !== undefined && digest !== known.digest)
    throw wrong(`artifacts[${index}].digest`, `is not that of the version: ${known.digest}`);
  return { artifact: { kind, id, version, digest: known.digest }, owner: known.owner };
}

function wrong(field: string, reason: string): RefusalError {
  return new RefusalError(invalid({ field, reason }));
}

export const listCandidates = listing({
  kind: "promotion",
  many: "candidates",
  filters: { state: "state", environment: "environment_id" },
  atOnce: limits.promotionsAskedAtOnce,
  ask: (id, call) => tryAsk(call, getBrief, { key: handleOf(id), request: { candidate_id: id } }),
});
