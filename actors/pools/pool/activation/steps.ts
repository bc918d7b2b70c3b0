import type { Context, Decision } from "#runtime";
import { type ActivationMessage, type Artifact, type Asked, no, type Said } from "../../../kit/activation.ts";
import type { PoolRecord } from "../../pool-record.ts";
import type { ActiveVersion, Governance } from "../governance.ts";
import { type Event, type State, versionRows } from "../state.ts";
import type { ContentKind } from "../version-content.ts";
import { nextVersion, versionRow } from "../versions.ts";
import { clearCanary, putCanary } from "./canary.ts";
import { inForce, replacedRow } from "./change.ts";
import { checkArtifacts } from "./check.ts";
import { contentIn, restoredRules, rulesFor } from "./promoted.ts";
import { replied, stale } from "./said.ts";

/** A step of a promotion. It is never refused: the candidate waits for an answer, also of a pool that is gone. */
export function decideActivation(
  state: State,
  message: ActivationMessage,
  context: Context,
): Decision<Event> {
  if (state.pool?.id !== message.targetId)
    return replied(
      message,
      message.step === "check" && message.artifacts.length > 0
        ? gone(message)
        : no("TARGET_DELETED", `the pool ${message.targetId} is deleted`),
    );
  const named = versionsOf(message).filter((version) => state.versions.has(version));
  context.prefetch(named.map((version) => ({ collection: versionRows, key: [version] })));
  switch (message.step) {
    case "check":
      return check(state, message, context);
    case "canary_put":
      return putCanary(state, message, context);
    case "canary_clear":
      return clearCanary(state, message);
    case "prepare":
      return prepare(state, message);
    case "activate":
      return activate(state, message, context);
    case "restore":
      return restore(state, message, context);
    case "release":
      return release(state, message);
    case "figures":
      return replied(message, no("NO_FIGURES", "figures are asked of the queue"));
  }
}

function versionsOf({ step, artifacts }: ActivationMessage): readonly number[] {
  if (step === "canary_clear" || step === "release" || step === "prepare") return [];
  if (step === "restore") return artifacts.map(({ replaced }) => replaced ?? 0);
  return artifacts.map(({ version }) => version);
}

function gone({ artifacts }: ActivationMessage): Said {
  const blocking = [{ reason: "TARGET_DELETED", detail: "the pool is deleted" }];
  return {
    checked: artifacts.map(({ kind, id }) => ({ kind, id, impacts: [], impactsLeftOut: 0, blocking })),
  };
}

/** The versions are kept from now on, until the candidate is over. */
function check(state: State, message: ActivationMessage, context: Context): Decision<Event> {
  if (message.artifacts.length === 0) return replied(message, leadsHere(state.pool!, message));
  const checked = checkArtifacts(state, message, context);
  const { governance } = state;
  const { candidateId } = message;
  const others = governance.pins.filter((pin) => pin.candidateId !== candidateId);
  const own = message.artifacts.map(({ version }) => ({ version, candidateId }));
  return replied(message, { checked }, [
    { type: "governed", governance: { ...governance, pins: [...others, ...own] } },
  ]);
}

/** What stands against a rule that redirects here. */
function leadsHere({ id, environment, enabled }: PoolRecord, asked: ActivationMessage): Said {
  if (environment !== asked.environment)
    return no("RULE_TARGET_MISSING", `the pool ${id} is in ${environment}`);
  return enabled ? {} : no("DEPENDENCY_INACTIVE", `the pool ${id} is disabled`);
}

function prepare(state: State, message: ActivationMessage): Decision<Event> {
  const { governance } = state;
  const { candidateId } = message;
  if (governance.prepared === candidateId) return replied(message, {});
  const against =
    otherPrepared(state, candidateId) ?? stale(state, message.artifacts) ?? lacking(state, message.artifacts);
  if (against) return replied(message, against);
  return replied(message, {}, [{ type: "governed", governance: { ...governance, prepared: candidateId } }]);
}

/** Said before any target changes: a version that is gone later would leave some changed and others not. */
function lacking({ versions }: State, artifacts: readonly Asked[]): Said | undefined {
  const gone = artifacts.find(({ version, replaced }) => !versions.has(replaced ?? version));
  return gone && no("ARTIFACT_GONE", `version ${gone.replaced ?? gone.version} is gone`);
}

function otherPrepared({ governance }: State, candidateId: string): Said | undefined {
  const { prepared } = governance;
  if (prepared === undefined || prepared === candidateId) return undefined;
  return no("STALE_BASE", `promotion ${prepared} is about to change this pool`);
}

/** Versions are no longer kept for the candidate, and others may change the pool again. */
function release(state: State, message: ActivationMessage): Decision<Event> {
  const { candidateId } = message;
  const { prepared, ...rest } = state.governance;
  const governance: Governance = {
    ...rest,
    ...(prepared !== undefined && prepared !== candidateId && { prepared }),
    pins: rest.pins.filter((pin) => pin.candidateId !== candidateId),
  };
  return replied(message, {}, [{ type: "governed", governance }]);
}

function activate(state: State, message: ActivationMessage, context: Context): Decision<Event> {
  const { candidateId, artifacts } = message;
  const done = artifacts.map(({ kind }) => activeBy(state, kind, candidateId));
  if (done.every((active) => active !== undefined))
    return replied(message, { replaced: done.flatMap((active) => replacedBy(state, active!)) });
  const against = otherPrepared(state, candidateId) ?? stale(state, artifacts);
  if (against) return replied(message, against);
  const rows = artifacts.map(({ version }) => versionRow(state, version, context));
  if (rows.some((row) => row === null)) return replied(message, no("ARTIFACT_GONE", "a version is gone"));
  const kept = artifacts.map(({ kind }, index) =>
    replacedRow(state, kind as ContentKind, nextVersion(state) + index, candidateId, context.now),
  );
  const { canary } = state.governance;
  const ids = canary?.candidateId === candidateId ? canary.ruleIds : undefined;
  const routing = contentIn(state, artifacts, "routing", context);
  const rules = routing && rulesFor(state, routing, ids, context);
  const active = artifacts.map(
    ({ kind, version, digest }, index): ActiveVersion => ({
      kind: kind as ContentKind,
      version,
      digest,
      candidateId,
      at: context.now,
      replaced: kept[index]!.entry.version,
    }),
  );
  const contents = rows.map((row) => row!.content);
  const { events, twins } = inForce(state, candidateId, { contents, rules, kept, active }, context);
  const replaced = kept.map(({ entry }) => artifactOf(state, entry));
  return replied(message, { replaced }, events, twins);
}

function restore(state: State, message: ActivationMessage, context: Context): Decision<Event> {
  const { candidateId, artifacts } = message;
  if (artifacts.every(({ kind }) => activeBy(state, kind, candidateId)?.replaced === 0))
    return replied(message, {});
  const against = otherPrepared(state, candidateId) ?? stale(state, artifacts);
  if (against) return replied(message, against);
  const rows = artifacts.map(({ replaced }) => versionRow(state, replaced ?? 0, context));
  if (rows.some((row) => row === null))
    return replied(message, no("ARTIFACT_GONE", "what was replaced is gone"));
  const routing = rows.find((row) => row?.entry.kind === "routing") ?? undefined;
  const rules = routing && restoredRules(state, routing, context.now);
  const active = rows.map((row): ActiveVersion => {
    const { kind, version, digest } = row!.entry;
    return { kind, version, digest, candidateId, at: context.now, replaced: 0 };
  });
  const contents = rows.map((row) => row!.content);
  const { events, twins } = inForce(state, candidateId, { contents, rules, kept: [], active }, context);
  return replied(message, {}, events, twins);
}

function activeBy({ governance }: State, kind: string, candidateId: string): ActiveVersion | undefined {
  return governance.active.find((active) => active.kind === kind && active.candidateId === candidateId);
}

/** Nothing where a rollback has put it back. */
function replacedBy(state: State, { replaced }: ActiveVersion): readonly Artifact[] {
  const kept = state.versions.get(replaced);
  return kept ? [artifactOf(state, kept)] : [];
}

function artifactOf(
  state: State,
  { kind, version, digest }: Pick<ActiveVersion, "kind" | "version" | "digest">,
): Artifact {
  return { kind, id: state.pool!.id, version, digest };
}
