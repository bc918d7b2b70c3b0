import { limits, type Refusal, refuse } from "#base";
import { type ItemKeys, stickyRecipient } from "../admission/keys.ts";
import type { OwnItem } from "../rows/item.ts";
import type { UnitOfWork } from "../unit/unit-of-work.ts";

/** One entry of an enqueue. */
export interface NewItem {
  readonly key: string;
  readonly payload: unknown;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** 0: the pool's default band, or what a rule says. */
  readonly priority: number;
  readonly cost: number;
  readonly dedupId: string;
  readonly notBefore: number;
  readonly expiresAt: number;
  readonly traceparent: string;
}

/** What was found out about an entry. */
interface Judged {
  readonly band: number;
  readonly bytes: number;
  readonly classNo: number;
  readonly keys: ItemKeys;
}

/** The item that an entry becomes, in no line yet. */
export function itemOf(unit: UnitOfWork, entry: NewItem, { band, bytes, classNo, keys }: Judged): OwnItem {
  const { router, now } = unit;
  return {
    id: unit.context.newId(unit.state.handle),
    key: entry.key,
    state: "scheduled",
    quarantined: false,
    band: Math.min(band, router.config.priority.bands),
    cost: entry.cost,
    bytes,
    dedupId: entry.dedupId,
    attempts: 0,
    deliveries: 0,
    retries: 0,
    coalesced: 0,
    createdAt: now,
    updatedAt: now,
    finishedAt: 0,
    notBefore: entry.notBefore > now ? entry.notBefore : 0,
    expiresAt: entry.expiresAt,
    version: 1,
    classNo,
    list: "",
    recent: false,
    heldBy: "",
    tag: 0,
    order: 0,
    readyAt: 0,
    flow: keys.flow,
    sticky: stickyTo(unit, classNo, keys.stickyKey),
    groups: keys.groups,
    tells: false,
    lease: null,
    ended: null,
    error: null,
    traceparent: entry.traceparent,
    history: 0,
  };
}

/** A hash for each recipient. */
const stickySteps = 1.5;

function stickyTo(unit: UnitOfWork, classNo: number, stickyKey: string): string {
  if (!stickyKey) return "";
  unit.commandBudget.steps -= unit.router.recipients.size * stickySteps;
  return stickyRecipient(unit.router, stickyKey, (recipient) => !unit.excludes(classNo, recipient));
}

export function outsideBands({ router }: UnitOfWork, band: number): Refusal | undefined {
  const { bands } = router.config.priority;
  if (band <= bands) return undefined;
  const reason = `priority may be 1 to ${bands}`;
  return refuse("INVALID_ARGUMENT", reason, { fields: [{ field: "priority", reason }] });
}

export function overLimits(unit: UnitOfWork, entry: NewItem, bytes: number): Refusal | undefined {
  if (bytes > limits.payloadBytesMax)
    return refuse("PAYLOAD_TOO_LARGE", `payload and attributes may have ${limits.payloadBytesMax} bytes`);
  if (entry.expiresAt > 0 && entry.expiresAt <= unit.now) return badExpiry("is in the past");
  if (entry.expiresAt > 0 && entry.expiresAt <= entry.notBefore)
    return badExpiry("is not after not_before: it could never be handed out");
  return undefined;
}

function badExpiry(reason: string): Refusal {
  return refuse("INVALID_ARGUMENT", `expires_at ${reason}`, { fields: [{ field: "expires_at", reason }] });
}
