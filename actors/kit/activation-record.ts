import {
  type ActivationMessage,
  type Asked,
  type Blocking,
  type CheckedArtifact,
  no,
  type Said,
} from "./activation.ts";
import { type CanaryShares, variantOf } from "./canary.ts";

/**
 * The steps of a promotion on a record that has versions by number, one of which is in force: a workflow definition, a provider
 * config. Pure: the module reads digests before it asks, and puts the outcome into its own event.
 */

/** What promotions have to do with a record; part of it. */
export interface Governed {
  /** Which keys another version decides. */
  readonly canary?: CanaryShares & { readonly version: number };
  /** The candidate that is about to activate or restore: meanwhile nothing else changes what is in force. */
  readonly prepared?: string;
  /** The last activation by a promotion. */
  readonly activated?: {
    readonly candidateId: string;
    /** The version that was in force before; 0: none was. */
    readonly replaced: number;
    readonly restored: boolean;
  };
}

interface VersionedTarget {
  readonly environment: string;
  /** The version in force; 0: none. */
  readonly active: number;
  readonly governed: Governed;
  /** Of a version that the step names, or that is in force; `undefined`: it is gone. */
  readonly digestOf: (version: number) => string | undefined;
  /** What stands against an activation whatever the version. */
  readonly blocking: readonly Blocking[];
}

export interface Outcome {
  readonly said: Said;
  /** Present: changed. */
  readonly governed?: Governed;
  readonly active?: number;
}

/** The versions whose digests the step reads. */
export function versionsRead({ step, artifacts }: ActivationMessage, active: number): readonly number[] {
  if (step === "figures" || step === "canary_clear" || step === "release") return [];
  const named = artifacts.flatMap(({ version, replaced = 0 }) => [version, replaced]);
  return [...new Set([active, ...named])].filter((version) => version > 0);
}

/** A record that is gone answers too: the candidate waits for it. */
export function goneAnswer({ step, artifacts }: ActivationMessage, what: string): Said {
  const blocking = [{ reason: "TARGET_DELETED", detail: `the ${what} is deleted` }];
  if (step !== "check") return { no: blocking[0]! };
  return {
    checked: artifacts.map(({ kind, id }) => ({ kind, id, impacts: [], impactsLeftOut: 0, blocking })),
  };
}

/** Which version decides this key now. */
export function versionFor({ canary }: Governed, active: number, key: string, now: number): number {
  return canary && variantOf(canary, key, now) === "canary" ? canary.version : active;
}

export function decideStep(target: VersionedTarget, message: ActivationMessage, now: number): Outcome {
  const { governed } = target;
  const { candidateId } = message;
  const artifact = message.artifacts[0]!;
  switch (message.step) {
    case "check":
      return { said: { checked: [checked(target, message, artifact)] } };
    case "figures":
      return { said: { figures: nothingQueued } };
    case "canary_put":
      return putCanary(target, message, artifact, now);
    case "canary_clear": {
      const { canary, ...left } = governed;
      return canary?.candidateId === candidateId ? { said: {}, governed: left } : { said: {} };
    }
    case "prepare": {
      const against = refused(target, candidateId, artifact);
      return against ? { said: against } : { said: {}, governed: { ...governed, prepared: candidateId } };
    }
    case "release": {
      const { prepared, ...left } = governed;
      return prepared === candidateId ? { said: {}, governed: left } : { said: {} };
    }
    case "activate":
      return activate(target, candidateId, artifact);
    case "restore":
      return restore(target, candidateId, artifact);
  }
}

/** It has no queue: guardrails of the target pass. */
const nothingQueued = { queue_depth: 0, oldest_item_age_seconds: 0, dlq_depth: 0, ejected_percent: 0 };

function liveDigest({ active, digestOf }: VersionedTarget): string | undefined {
  return active > 0 ? digestOf(active) : undefined;
}

function checked(
  target: VersionedTarget,
  { environment, candidateId }: ActivationMessage,
  { kind, id, version, digest }: Asked,
): CheckedArtifact {
  const base = liveDigest(target);
  const { canary } = target.governed;
  const blocking: Blocking[] = [...target.blocking];
  if (target.environment !== environment)
    blocking.push({ reason: "WRONG_ENVIRONMENT", detail: `it is in ${target.environment}` });
  if (canary && canary.candidateId !== candidateId)
    blocking.push({ reason: "CANARY_ACTIVE", detail: `promotion ${canary.candidateId} has a canary here` });
  if (target.digestOf(version) !== digest)
    blocking.push({ reason: "ARTIFACT_GONE", detail: `version ${version} is gone` });
  if (base === digest) blocking.push({ reason: "NO_CHANGE", detail: "this content is in force" });
  const change = base === undefined ? "added" : "changed";
  return {
    kind,
    id,
    ...(base !== undefined && { base }),
    impacts: base === digest ? [] : [{ path: "active_version", change, exercisedBy: "canary" }],
    impactsLeftOut: 0,
    blocking,
  };
}

/** Why the step cannot be done: another promotion is at it, what is in force has changed, or a version is gone. */
function refused(target: VersionedTarget, candidateId: string, asked: Asked): Said | undefined {
  const { prepared } = target.governed;
  if (prepared !== undefined && prepared !== candidateId)
    return no("STALE_BASE", `promotion ${prepared} is about to change it`);
  const live = liveDigest(target) ?? "";
  if (live !== asked.base)
    return no("STALE_BASE", `the ${asked.kind} ${asked.id} is ${live || "absent"} now`);
  const wanted = asked.replaced ?? asked.version;
  // A rollback of the first activation leaves nothing in force.
  if (wanted === 0 || target.digestOf(wanted) !== undefined) return undefined;
  return no("ARTIFACT_GONE", `version ${wanted} is gone`);
}

function putCanary(
  target: VersionedTarget,
  { candidateId, share }: ActivationMessage,
  asked: Asked,
  now: number,
): Outcome {
  const { governed } = target;
  const { bps } = share!;
  const known = governed.canary?.candidateId === candidateId ? governed.canary : undefined;
  if (bps === 0 && known === undefined) return { said: {} };
  if (governed.canary && !known)
    return { said: no("CANARY_ACTIVE", `promotion ${governed.canary.candidateId} has a canary here`) };
  const before = known?.shares.at(-1)?.[1] ?? 0;
  const against = bps > before ? refused(target, candidateId, asked) : undefined;
  if (against) return { said: against };
  if (known && before === bps) return { said: {} };
  // From the next millisecond on: what was decided in this one keeps its variant.
  const shares = [...(known?.shares ?? []), [now + 1, bps] as const];
  const canary = { candidateId, version: asked.version, shares };
  return { said: {}, governed: { ...governed, canary } };
}

function activate(target: VersionedTarget, candidateId: string, asked: Asked): Outcome {
  const { governed, active, digestOf } = target;
  const { kind, id, version } = asked;
  const replacedBy = (replaced: number): Said => ({
    replaced: [{ kind, id, version: replaced, digest: digestOf(replaced) ?? "" }],
  });
  if (governed.activated?.candidateId === candidateId)
    return { said: replacedBy(governed.activated.replaced) };
  const against = refused(target, candidateId, asked);
  if (against) return { said: against };
  const activated = { candidateId, replaced: active, restored: false };
  return {
    said: replacedBy(active),
    active: version,
    governed: { ...withoutHand(governed, candidateId), activated },
  };
}

function restore(target: VersionedTarget, candidateId: string, asked: Asked): Outcome {
  const { governed } = target;
  const { activated } = governed;
  if (activated?.candidateId === candidateId && activated.restored) return { said: {} };
  const against = refused(target, candidateId, asked);
  if (against) return { said: against };
  const replaced = asked.replaced ?? 0;
  return {
    said: {},
    active: replaced,
    governed: {
      ...withoutHand(governed, candidateId),
      activated: { candidateId, replaced, restored: true },
    },
  };
}

/** Prepared no longer, and without the candidate's canary. */
function withoutHand({ canary }: Governed, candidateId: string): Governed {
  return canary && canary.candidateId !== candidateId ? { canary } : {};
}
