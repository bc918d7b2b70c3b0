import { type Refusal, refuse, toRfc3339 } from "#base";
import { stateExclusion } from "../../eligibility.ts";
import type { RouterRecipient, RouterView } from "../../router.ts";
import type { Exclusion } from "../../selectable.ts";

export interface Claim {
  readonly type: "claim";
  readonly poolId?: string | undefined;
  readonly recipientId: string;
  /** 0: it takes nothing, and waits for what is lost. */
  readonly maxItems: number;
  /** 0: as the pool says. */
  readonly leaseSeconds: number;
  readonly waitMs: number;
  /** Set when it is first parked: how long it waits is counted from then. */
  readonly untilMs?: number;
  /** The routing table, and the recipients on duty, that `wake` last found it sound with: by others it may be refused. */
  table?: number;
  ready?: readonly RouterRecipient[];
  /** Of a Work stream whose worker holds leases: it goes on listening also where nothing would be handed out. */
  readonly holds?: boolean;
  /** Of a Work stream, which also waits for the leases its recipient loses: the first it has not heard of. */
  readonly first?: number;
}

/**
 * Why this recipient is given nothing, whatever is in line. A claim is no heartbeat: a recipient that is offline says so with
 * the next one. An ejection ends by itself, so a Work stream waits for its end; a single claim is refused.
 */
export function claimerRefusal(
  { recipients }: RouterView,
  { recipientId, first }: Pick<Claim, "recipientId" | "first">,
): Refusal | undefined {
  const recipient = recipients.get(recipientId);
  if (!recipient) return refuse("NOT_FOUND", `there is no recipient ${recipientId} in this pool`);
  const why = stateExclusion(recipient);
  if (why === undefined || (why === "ejected" && first !== undefined)) return undefined;
  return refuse("FAILED_PRECONDITION", `the recipient ${textOf(why, recipient)}`, {
    reason: `RECIPIENT_${why.toUpperCase()}`,
  });
}

function textOf(why: Exclusion, { id, health }: RouterRecipient): string {
  switch (why) {
    case "offline":
      return `is offline: its heartbeat is overdue; send POST /api/recipients/${id}/heartbeat`;
    case "ejected":
      return `is ejected until ${toRfc3339(health.untilMs)} after ${health.failures} failures in a row; POST /api/recipients/${id}/resume brings it back at once`;
    case "weight_zero":
      return "has weight 0, which means that it gets nothing; give it a weight";
    default:
      return `is ${why}; POST /api/recipients/${id}/resume activates it`;
  }
}
