import { handleOf } from "#base";
import type { Address } from "#runtime";
import { method } from "./ask.ts";
import type { CanaryCounts } from "./canary.ts";

/**
 * How a promotion puts versions into force, whatever they are versions of. A candidate asks its targets by outbox and each answers
 * by a message, also where it says no: the runtime drops messages that an entity refuses. Every step may come twice.
 *
 *   check       what would change, what stands against it, and the digest of what is in force; without artifacts: whether the
 *               target is there and active
 *   figures     what guardrails compare
 *   canary_put  decide a share of the keys; a share of 0 stops and goes on counting
 *   canary_clear  forget the canary and its counters
 *   prepare     refuse other changes until `activate`, `restore` or `release`
 *   activate    in one commit: compare, keep what is in force, put the version in its place, end the canary
 *   restore     in one commit: compare, put back what was kept
 *   release     the candidate is over, or the others are not prepared
 */
export type ActivationStep =
  | "check"
  | "figures"
  | "canary_put"
  | "canary_clear"
  | "prepare"
  | "activate"
  | "release"
  | "restore";

type ArtifactKind = "routing" | "strategy" | "workflow" | "connector";

export interface Artifact {
  readonly kind: ArtifactKind;
  /** Of the pool, definition or provider config. */
  readonly id: string;
  readonly version: number;
  readonly digest: string;
}

/** An artifact with what a step compares: the digest that has to be in force. */
export interface Asked extends Artifact {
  /** Empty where nothing is compared. */
  readonly base: string;
  /** Of `restore`: the version that keeps what was replaced. */
  readonly replaced?: number;
}

/** What a candidate has to know of a version, asked of the entity that has it. */
export const describeVersion = {
  pool: method<VersionRef, VersionFacts>("pool", "DescribeVersion"),
  workflow: method<VersionRef, VersionFacts>("workflow_definition", "DescribeVersion"),
  connector: method<VersionRef, VersionFacts>("provider_config", "DescribeVersion"),
};

export interface VersionRef {
  /** Of the pool, definition or provider config. */
  readonly id: string;
  readonly version: number;
}

export interface VersionFacts {
  readonly kind: ArtifactKind;
  readonly digest: string;
  /** Who answers for its maker. */
  readonly owner: string;
}

export interface ActivationMessage {
  readonly type: "activation";
  readonly step: ActivationStep;
  readonly candidateId: string;
  readonly environment: string;
  /** Of the target: `artifacts` are all of it. */
  readonly targetId: string;
  readonly artifacts: readonly Asked[];
  /** Absent: no candidate waits for the answer. */
  readonly reply?: { readonly to: Address; readonly round: number };
  /** Of `canary_put`. */
  readonly share?: { readonly bps: number; readonly slowMs: number };
}

export interface ActivationAnswer {
  readonly type: "activation_answer";
  readonly step: ActivationStep;
  readonly round: number;
  readonly targetId: string;
  /** Why not. */
  readonly no?: { readonly reason: string; readonly detail: string };
  /** Of `check`. */
  readonly checked?: readonly CheckedArtifact[];
  /** Of `activate`: the versions that keep what was replaced. */
  readonly replaced?: readonly Artifact[];
  /** Of `figures`. */
  readonly figures?: TargetFigures;
}

/** What a target has to say of a step. */
export type Said = Omit<ActivationAnswer, "type" | "step" | "round" | "targetId">;

export interface CheckedArtifact {
  readonly kind: ArtifactKind;
  readonly id: string;
  /** Absent: nothing is in force. */
  readonly base?: string;
  readonly impacts: readonly Impact[];
  readonly impactsLeftOut: number;
  readonly blocking: readonly Blocking[];
  /** Other targets that its content leads to: a preflight asks each whether it is there. */
  readonly leadsTo?: readonly string[];
}

export interface Impact {
  readonly path: string;
  readonly change: "added" | "removed" | "changed";
  readonly exercisedBy: "canary" | "promote";
}

export interface Blocking {
  readonly reason: string;
  readonly detail: string;
}

export interface TargetFigures {
  readonly queue_depth: number;
  readonly oldest_item_age_seconds: number;
  readonly dlq_depth: number;
  readonly ejected_percent: number;
  /** Absent: no canary of this candidate. */
  readonly counts?: CanaryCounts;
}

/** What a candidate's artifacts are versions of, each once: an entity with all artifacts that are its own. */
export interface Target {
  readonly id: string;
  readonly artifacts: readonly Artifact[];
}

export function targetsOf(artifacts: readonly Artifact[]): readonly Target[] {
  const byId = new Map<string, Artifact[]>();
  for (const artifact of artifacts) byId.set(artifact.id, [...(byId.get(artifact.id) ?? []), artifact]);
  return [...byId].map(([id, own]) => ({ id, artifacts: own }));
}

/** Who answers this step. Figures of a pool are asked of its queue: it reads its own rows, and the router's counters. */
export function targetAddress(tenant: string, { id, artifacts }: Target, step: ActivationStep): Address {
  return { kind: entityKindOf(artifacts[0]?.kind, step), tenant, key: handleOf(id) };
}

function entityKindOf(kind: ArtifactKind | undefined, step: ActivationStep): string {
  if (kind === "workflow") return "workflow_definition";
  if (kind === "connector") return "provider_config";
  return step === "figures" ? "queue" : "pool";
}

export function answerTo(
  { step, targetId, reply }: ActivationMessage,
  answer: Said,
): { readonly to: Address; readonly answer: ActivationAnswer } | undefined {
  if (reply === undefined) return undefined;
  return {
    to: reply.to,
    answer: { type: "activation_answer", step, round: reply.round, targetId, ...answer },
  };
}

export function no(reason: string, detail: string): { readonly no: Blocking } {
  return { no: { reason, detail } };
}
