import { isDeepStrictEqual } from "node:util";
import { limits } from "#base";
import type { Context } from "#runtime";
import type { ActivationMessage, Asked, Blocking, CheckedArtifact, Impact } from "../../../kit/activation.ts";
import { configErrors, liveContent, liveDigest, ruleErrors } from "../content.ts";
import { actionOf } from "../rule-action.ts";
import { actionProblems } from "../rule-check.ts";
import type { State } from "../state.ts";
import type { Content, ContentKind, RoutingContent } from "../version-content.ts";
import { versionRow } from "../versions.ts";

/** What would change, and what stands against it: it changes nothing. */
export function checkArtifacts(
  state: State,
  { artifacts, environment, candidateId }: ActivationMessage,
  context: Context,
): readonly CheckedArtifact[] {
  const shared: Blocking[] = [];
  if (state.pool!.environment !== environment)
    shared.push({ reason: "WRONG_ENVIRONMENT", detail: `the pool is in ${state.pool!.environment}` });
  const { canary } = state.governance;
  if (canary && canary.candidateId !== candidateId)
    shared.push({ reason: "CANARY_ACTIVE", detail: `promotion ${canary.candidateId} has a canary here` });
  return artifacts.map((artifact) => checkOne(state, artifact, shared, context));
}

function checkOne(
  state: State,
  artifact: Asked,
  shared: readonly Blocking[],
  context: Context,
): CheckedArtifact {
  const { kind, id, version, digest } = artifact;
  const base = liveDigest(state, kind as ContentKind);
  const row = versionRow(state, version, context);
  if (!row || row.entry.digest !== digest) {
    const blocking = [...shared, { reason: "ARTIFACT_GONE", detail: `version ${version} is gone` }];
    return { kind, id, base, impacts: [], impactsLeftOut: 0, blocking };
  }
  const impacts = impactsOf(liveContent(state, row.entry.kind), row.content);
  const blocking = [...shared, ...problemsOf(state, row.content)];
  if (base === digest) blocking.push({ reason: "NO_CHANGE", detail: "this content is in force" });
  const shown = impacts.slice(0, limits.promotionImpactsMax);
  const leadsTo = redirectsOf(row.content).filter((poolId) => poolId !== id);
  return {
    kind,
    id,
    base,
    impacts: shown,
    impactsLeftOut: impacts.length - shown.length,
    blocking,
    ...(leadsTo.length > 0 && { leadsTo }),
  };
}

/** Pools that its rules redirect to, each once. */
function redirectsOf(content: Content): readonly string[] {
  if (!("rules" in content)) return [];
  const pools = content.rules.flatMap((rule) => {
    const action = actionOf(rule.action);
    return action.type === "redirect" ? [action.poolId] : [];
  });
  return [...new Set(pools)];
}

function problemsOf(state: State, content: Content): readonly Blocking[] {
  if ("strategy" in content) {
    const { sticky, outlier } = content;
    return configErrors({ ...(sticky && { sticky }), outlier }).map(invalidConfig);
  }
  const rules = content.rules.flatMap((rule): Blocking[] => {
    const invalid = ruleErrors(rule).map(({ field, reason }) => ({
      reason: "RULE_INVALID",
      detail: `rule ${rule.name}: ${field} ${reason}`,
    }));
    const missing = actionProblems(state, actionOf(rule.action), {})
      .filter(({ reason }) => reason !== "selects nothing")
      .map(({ field, reason }) => ({
        reason: "RULE_TARGET_MISSING",
        detail: `rule ${rule.name}: ${field} ${reason}`,
      }));
    return [...invalid, ...missing];
  });
  return [...configErrors(content.config).map(invalidConfig), ...rules].slice(0, limits.fieldErrorsMax);
}

function invalidConfig({ field, reason }: { readonly field: string; readonly reason: string }): Blocking {
  return { reason: "CONFIG_INVALID", detail: `${field} ${reason}` };
}

/** A canary takes rules, strategy and sticky from the candidate; the rest shows when it is promoted. */
function impactsOf(live: Content, next: Content): readonly Impact[] {
  if (!("rules" in live) || !("rules" in next)) return memberImpacts(live, next, "", () => "canary");
  return [...memberImpacts(live.config, next.config, "config.", () => "promote"), ...ruleImpacts(live, next)];
}

function memberImpacts(
  live: object,
  next: object,
  prefix: string,
  exercised: (name: string) => Impact["exercisedBy"],
): readonly Impact[] {
  const before = live as Readonly<Record<string, unknown>>;
  const after = next as Readonly<Record<string, unknown>>;
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((name): Impact[] => {
    if (isDeepStrictEqual(before[name], after[name])) return [];
    const change = before[name] === undefined ? "added" : after[name] === undefined ? "removed" : "changed";
    return [{ path: prefix + name, change, exercisedBy: name === "outlier" ? "promote" : exercised(name) }];
  });
}

function ruleImpacts(live: RoutingContent, next: RoutingContent): readonly Impact[] {
  const before = byName(live);
  const after = byName(next);
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names.flatMap((name): Impact[] => {
    const was = before.get(name);
    const is = after.get(name);
    if (isDeepStrictEqual(was, is)) return [];
    const change = was === undefined ? "added" : is === undefined ? "removed" : "changed";
    return [{ path: `rules[${name}]`, change, exercisedBy: "canary" }];
  });
}

function byName({ rules }: RoutingContent): ReadonlyMap<string, readonly object[]> {
  const named = new Map<string, object[]>();
  for (const rule of rules) named.set(rule.name, [...(named.get(rule.name) ?? []), rule]);
  return named;
}
