import { digestOf } from "#base";
import type { Context, Decision } from "#runtime";
import {
  type ActivationMessage,
  type Artifact,
  type Asked,
  answerTo,
  no,
  type Said,
} from "../shared/activation.ts";
import { controlNames } from "../shared/control-numbers.ts";
import type { PoolRecord, RuleRecord } from "../shared/pool-record.ts";
import { newRecord, nextRecord } from "../shared/records/record.ts";
import type { CanaryTable, QueuePoolEvent, RouterTableEvent } from "../shared/router.ts";
import { checkArtifacts } from "./activation-check.ts";
import { admits, configured, controlsOf } from "./configured.ts";
import {
  type Content,
  type ContentKind,
  liveContent,
  liveDigest,
  liveRules,
  poolWith,
  type RoutingContent,
  type StrategyContent,
} from "./content.ts";
import type { ActiveVersion, Canary, Governance, VersionRow } from "./governance.ts";
import { actionOf } from "./rule-action.ts";
import { handOver } from "./rules.ts";
import type { Event, State } from "./state.ts";
import { nextVersion, refOf, versionRow } from "./versions.ts";

/** A step of a promotion. It is never refused: the candidate waits for an answer, also of a pool that is gone. */
export function decideActivation(
  state: State,
  message: ActivationMessage,
  context: Context,
): Decision<Event> {
  if (state.pool?.id !== message.targetId)
    return told(
      message,
      message.step === "check" && message.artifacts.length > 0
        ? gone(message)
        : no("TARGET_DELETED", `the pool ${message.targetId} is deleted`),
    );
  const missing = versionsOf(message)
    .filter((version) => versionRow(state, version, context) === undefined)
    .map(refOf);
  if (missing.length > 0) return { need: missing };
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
      return told(message, no("NO_FIGURES", "figures are asked of the queue"));
  }
}

type Twins = Readonly<Record<string, readonly unknown[]>>;

function told(
  message: ActivationMessage,
  said: Said,
  events: readonly Event[] = [],
  twins?: Twins,
): Decision<Event> {
  const answer = answerTo(message, said);
  const all: readonly Event[] = answer ? [...events, { type: "answered", ...answer }] : events;
  return { events: all, ...(twins && { twins }) };
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
  if (message.artifacts.length === 0) return told(message, leadsHere(state.pool!, message));
  const checked = checkArtifacts(state, message, context);
  const { governance } = state;
  const { candidateId } = message;
  const others = governance.pins.filter((pin) => pin.candidateId !== candidateId);
  const own = message.artifacts.map(({ version }) => ({ version, candidateId }));
  return told(message, { checked }, [
    { type: "governed", governance: { ...governance, pins: [...others, ...own] } },
  ]);
}

/** What stands against a rule that redirects here. */
function leadsHere({ id, environment, enabled }: PoolRecord, asked: ActivationMessage): Said {
  if (environment !== asked.environment)
    return no("RULE_TARGET_MISSING", `the pool ${id} is in ${environment}`);
  return enabled ? {} : no("DEPENDENCY_INACTIVE", `the pool ${id} is disabled`);
}

/** Why what is in force is not what the candidate compared with; of a repeated step nothing is compared. */
function stale(state: State, artifacts: readonly Asked[]): Said | undefined {
  for (const { kind, base } of artifacts) {
    const digest = liveDigest(state, kind as ContentKind);
    if (digest !== base)
      return no("STALE_BASE", `the ${kind} of pool ${state.pool!.id} is ${digest} now, and was ${base}`);
  }
  return undefined;
}

function otherCanary({ governance }: State, candidateId: string): Said | undefined {
  const { canary } = governance;
  if (canary === undefined || canary.candidateId === candidateId) return undefined;
  return no("CANARY_ACTIVE", `promotion ${canary.candidateId} has a canary here`);
}

function putCanary(state: State, message: ActivationMessage, context: Context): Decision<Event> {
  const { candidateId, artifacts, share } = message;
  const { bps, slowMs } = share!;
  const { governance } = state;
  const known = governance.canary?.candidateId === candidateId ? governance.canary : undefined;
  // A stop has nothing to compare: it is also for a canary that was edited under its feet.
  if (bps === 0 && known === undefined) return told(message, {});
  const against = bps === 0 ? undefined : (otherCanary(state, candidateId) ?? stale(state, artifacts));
  if (against) return told(message, against);
  if (known && shareOf(known) === bps) return told(message, {});
  const ruleIds = known ? known.ruleIds : canaryRuleIds(state, artifacts, context);
  const canary: Canary = {
    candidateId,
    // From the next millisecond on: what was decided in this one keeps its side.
    shares: [...(known?.shares ?? []), [context.now + 1, bps]],
    kinds: artifacts.map(({ kind }) => kind as ContentKind),
    startedAt: known?.startedAt ?? context.now,
    ...(ruleIds && { ruleIds }),
  };
  const version = state.version + 1;
  const put: RouterTableEvent = {
    type: "canary_put",
    version,
    canary: tableOf(state, canary, slowMs, artifacts, context),
  };
  const changed: Event = {
    type: "canary_changed",
    governance: { ...governance, canary },
    version,
    candidateId,
    bps,
  };
  return told(message, {}, [changed], { router: [put] });
}

function shareOf({ shares }: Canary): number {
  return shares.at(-1)?.[1] ?? 0;
}

function canaryRuleIds(
  state: State,
  artifacts: readonly Asked[],
  context: Context,
): readonly string[] | undefined {
  const routing = contentIn(state, artifacts, "routing", context);
  return routing && rulesFor(state, routing, undefined, context).map(({ id }) => id);
}

function tableOf(
  state: State,
  { candidateId, shares, ruleIds }: Canary,
  slowMs: number,
  artifacts: readonly Asked[],
  context: Context,
): CanaryTable {
  const routing = contentIn(state, artifacts, "routing", context);
  const strategy = contentIn(state, artifacts, "strategy", context);
  const rules = routing && handOver(rulesFor(state, routing, ruleIds, context), 0).rules;
  return {
    candidateId,
    shares,
    slowMs,
    ...(rules && { rules }),
    ...(strategy && { strategy: strategy.strategy, sticky: strategy.sticky ?? null }),
  };
}

interface Contents {
  readonly routing: RoutingContent;
  readonly strategy: StrategyContent;
}

function contentIn<Kind extends ContentKind>(
  state: State,
  artifacts: readonly Asked[],
  kind: Kind,
  context: Context,
): Contents[Kind] | undefined {
  const artifact = artifacts.find((one) => one.kind === kind);
  return artifact && (versionRow(state, artifact.version, context)?.content as Contents[Kind] | undefined);
}

function clearCanary(state: State, message: ActivationMessage): Decision<Event> {
  const { governance } = state;
  const { candidateId } = message;
  if (governance.canary?.candidateId !== candidateId) return told(message, {});
  const { canary: _, ...left } = governance;
  const version = state.version + 1;
  const removed: RouterTableEvent = { type: "canary_removed", version };
  const changed: Event = { type: "canary_changed", governance: left, version, candidateId, bps: 0 };
  return told(message, {}, [changed], { router: [removed] });
}

function prepare(state: State, message: ActivationMessage): Decision<Event> {
  const { governance } = state;
  const { candidateId } = message;
  if (governance.prepared === candidateId) return told(message, {});
  const against =
    otherPrepared(state, candidateId) ?? stale(state, message.artifacts) ?? lacking(state, message.artifacts);
  if (against) return told(message, against);
  return told(message, {}, [{ type: "governed", governance: { ...governance, prepared: candidateId } }]);
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
  return told(message, {}, [{ type: "governed", governance }]);
}

function activate(state: State, message: ActivationMessage, context: Context): Decision<Event> {
  const { candidateId, artifacts } = message;
  const done = artifacts.map(({ kind }) => activeBy(state, kind, candidateId));
  if (done.every((active) => active !== undefined))
    return told(message, { replaced: done.flatMap((active) => replacedBy(state, active!)) });
  const against = otherPrepared(state, candidateId) ?? stale(state, artifacts);
  if (against) return told(message, against);
  const rows = artifacts.map(({ version }) => versionRow(state, version, context));
  if (rows.some((row) => row === null)) return told(message, no("ARTIFACT_GONE", "a version is gone"));
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
  return told(message, { replaced }, events, twins);
}

function restore(state: State, message: ActivationMessage, context: Context): Decision<Event> {
  const { candidateId, artifacts } = message;
  if (artifacts.every(({ kind }) => activeBy(state, kind, candidateId)?.replaced === 0))
    return told(message, {});
  const against = otherPrepared(state, candidateId) ?? stale(state, artifacts);
  if (against) return told(message, against);
  const rows = artifacts.map(({ replaced }) => versionRow(state, replaced ?? 0, context));
  if (rows.some((row) => row === null))
    return told(message, no("ARTIFACT_GONE", "what was replaced is gone"));
  const routing = rows.find((row) => row?.entry.kind === "routing") ?? undefined;
  const rules = routing && restoredRules(state, routing, context.now);
  const active = rows.map((row): ActiveVersion => {
    const { kind, version, digest } = row!.entry;
    return { kind, version, digest, candidateId, at: context.now, replaced: 0 };
  });
  const contents = rows.map((row) => row!.content);
  const { events, twins } = inForce(state, candidateId, { contents, rules, kept: [], active }, context);
  return told(message, {}, events, twins);
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

interface Change {
  readonly contents: readonly Content[];
  /** All rules afterwards; `undefined`: as before. */
  readonly rules: readonly RuleRecord[] | undefined;
  readonly kept: readonly VersionRow[];
  readonly active: readonly ActiveVersion[];
}

/** Pool, rules, router and queue in one commit; the canary is over with it, and the pool is no longer prepared. */
function inForce(
  state: State,
  candidateId: string,
  { contents, rules, kept, active }: Change,
  { now }: Context,
) {
  const before = state.pool!;
  let pool: PoolRecord = before;
  for (const content of contents) pool = poolWith(pool, content);
  pool = { ...pool, controls: controlNames(controlsOf(before), pool.config) };
  pool = nextRecord(before, pool, now) ?? before;
  const version = state.version + 1;
  const { prepared: _, canary, ...rest } = state.governance;
  const others = rest.active.filter(({ kind }) => !active.some((one) => one.kind === kind));
  const ends = canary?.candidateId === candidateId;
  const governance: Governance = {
    ...rest,
    active: [...others, ...active],
    pins: rest.pins.filter((pin) => pin.candidateId !== candidateId),
    ...(canary && !ends && { canary }),
  };
  const router: RouterTableEvent[] = [configured(pool, version)];
  if (rules) router.push(handOver(rules, version));
  if (ends) router.push({ type: "canary_removed", version });
  const queue: QueuePoolEvent[] = admits(before) === admits(pool) ? [] : [{ type: "reconfigured" }];
  const event: Event = {
    type: "activated",
    candidateId,
    pool,
    version,
    ...(rules && { rules }),
    kept,
    governance,
    digests: Object.fromEntries(active.map(({ kind, digest }) => [kind, digest])),
  };
  return { events: [event], twins: { router, queue } };
}

function replacedRow(
  state: State,
  kind: ContentKind,
  version: number,
  candidateId: string,
  now: number,
): VersionRow {
  const content = liveContent(state, kind);
  return {
    entry: {
      version,
      kind,
      digest: digestOf(content),
      source: "replaced",
      createdBy: candidateId,
      owner: "",
      createdAt: now,
    },
    content,
    ...(kind === "routing" && {
      rules: liveRules(state).map(({ id, createdAt, updatedAt, recordVersion }) => ({
        id,
        createdAt,
        updatedAt,
        recordVersion,
      })),
    }),
  };
}

/** Each has the id that the canary gave it, else that of the live rule of its name, else a new one. */
function rulesFor(
  state: State,
  { rules }: RoutingContent,
  ids: readonly string[] | undefined,
  context: Context,
): readonly RuleRecord[] {
  const byName = new Map<string, RuleRecord[]>();
  for (const rule of liveRules(state)) byName.set(rule.name, [...(byName.get(rule.name) ?? []), rule]);
  return rules.map((content, index) => {
    const id = ids?.[index] ?? byName.get(content.name)?.shift()?.id ?? context.newId(context.address.key);
    return ruleOf(state, id, content, context.now);
  });
}

function ruleOf(state: State, id: string, content: RoutingContent["rules"][number], now: number): RuleRecord {
  const settings = { ...content, action: actionOf(content.action) };
  const live = state.rules.get(id);
  if (!live) return newRecord(id, settings, now);
  return nextRecord(live, { ...live, ...settings }, now) ?? live;
}

/** With the ids that they had, also those that the activation removed. */
function restoredRules(
  state: State,
  { content, rules: kept = [] }: VersionRow,
  now: number,
): readonly RuleRecord[] {
  return (content as RoutingContent).rules.map((rule, index) => {
    const before = kept[index]!;
    if (state.rules.has(before.id)) return ruleOf(state, before.id, rule, now);
    const { id, createdAt, recordVersion } = before;
    return {
      ...rule,
      action: actionOf(rule.action),
      id,
      createdAt,
      updatedAt: now,
      recordVersion: recordVersion + 1,
    };
  });
}
