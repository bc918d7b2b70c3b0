import { type Refusal, refuse, toRfc3339 } from "#base";
import type { CanaryShare } from "../../kit/canary.ts";
import type { Message, Stored } from "../../kit/record.ts";
import type { Content, ContentKind } from "./version-content.ts";

/** How the pool's content may be changed, and which promotions have a hand in it. */
export interface Governance {
  readonly changeControl: "open" | "governed";
  /** One of a kind. */
  readonly active: readonly ActiveVersion[];
  readonly canary?: Canary;
  /** The candidate that is about to activate or restore: meanwhile nothing else changes what is in force. */
  readonly prepared?: string;
  /** Versions that candidates may still ask for. */
  readonly pins: readonly Pin[];
}

export interface ActiveVersion {
  readonly kind: ContentKind;
  readonly version: number;
  readonly digest: string;
  readonly candidateId: string;
  readonly at: number;
  /** The version that keeps what was replaced; 0: it was restored by a rollback. */
  readonly replaced: number;
}

export interface Canary {
  readonly candidateId: string;
  readonly shares: readonly CanaryShare[];
  readonly kinds: readonly ContentKind[];
  readonly startedAt: number;
  /** Of the rules of its version, in their order: activation gives them the same. */
  readonly ruleIds?: readonly string[];
}

interface Pin {
  readonly version: number;
  readonly candidateId: string;
}

/** What is in memory of a version. */
export interface VersionEntry {
  readonly version: number;
  readonly kind: ContentKind;
  readonly digest: string;
  readonly source: "snapshot" | "proposal" | "import" | "replaced";
  readonly createdBy: string;
  /** Who answers for its maker: cannot approve a candidate that has it. */
  readonly owner: string;
  readonly createdAt: number;
}

export interface VersionRow {
  readonly entry: VersionEntry;
  readonly content: Content;
  /** Of what was replaced: who its rules were, in the order of the content. */
  readonly rules?: readonly Stored[];
}

export const open: Governance = { changeControl: "open", active: [], pins: [] };

/** Why the content of this pool cannot be changed directly now. */
export function refuseDirect({ changeControl, prepared }: Governance): Refusal | undefined {
  if (prepared !== undefined) return governed(`promotion ${prepared} is about to change it`);
  return changeControl === "governed" ? governed("it is governed: promote a version instead") : undefined;
}

function governed(why: string): Refusal {
  return refuse("FAILED_PRECONDITION", `the routing and strategy of this pool cannot be changed: ${why}`, {
    reason: "GOVERNED",
  });
}

/** Versions that are never forgotten: of promotions that are open or can be rolled back. */
export function inUse({ active, pins }: Governance): ReadonlySet<number> {
  const used = new Set(pins.map(({ version }) => version));
  for (const { version, replaced } of active) used.add(version).add(replaced);
  return used;
}

export function governanceMessage({ changeControl, active, canary }: Governance): Message {
  return {
    change_control: changeControl,
    active: active.map(({ kind, version, digest, candidateId, at }) => ({
      kind,
      version,
      digest,
      candidate_id: candidateId,
      activated_at: toRfc3339(at),
    })),
    ...(canary && {
      canary: {
        candidate_id: canary.candidateId,
        share_bps: canary.shares.at(-1)![1],
        kinds: canary.kinds,
        started_at: toRfc3339(canary.startedAt),
      },
    }),
  };
}
