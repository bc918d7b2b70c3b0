import { hash32 } from "#base";
import type { Health, RecipientTable, RouterRecipient } from "../router.ts";

export const healthy: Health = { state: "healthy", failures: 0, ejections: 0, untilMs: 0, probedAt: 0 };

/**
 * A recipient as its router edits it. A class with every field set in one order: strategies walk thousands of these, and
 * objects of many shapes are ten times slower to read.
 */
export class LiveRecipient implements RouterRecipient {
  readonly id: string;
  status: RecipientTable["status"];
  weight: number;
  capacity: number;
  tier: number;
  labels: Readonly<Record<string, string>>;
  skills: Readonly<Record<string, number>>;
  inFlight = 0;
  order = 0;
  picks = 0;
  readonly hash: number;
  lastAssignedAt = 0;
  health: Health = healthy;
  heartbeatAt = 0;
  heartbeatTtlMs = 0;
  offline = false;

  constructor(table: RecipientTable) {
    this.id = table.id;
    this.status = table.status;
    this.weight = table.weight;
    this.capacity = table.capacity;
    this.tier = table.tier;
    this.labels = table.labels;
    this.skills = table.skills;
    this.hash = recipientHash(table.id);
  }

  /** Takes over what the pool decides; everything live stays. */
  adopt(table: RecipientTable): void {
    this.status = table.status;
    this.weight = table.weight;
    this.capacity = table.capacity;
    this.tier = table.tier;
    this.labels = table.labels;
    this.skills = table.skills;
  }

  copy(): LiveRecipient {
    const copy = new LiveRecipient(this);
    copy.inFlight = this.inFlight;
    copy.order = this.order;
    copy.picks = this.picks;
    copy.lastAssignedAt = this.lastAssignedAt;
    copy.health = this.health;
    copy.heartbeatAt = this.heartbeatAt;
    copy.heartbeatTtlMs = this.heartbeatTtlMs;
    copy.offline = this.offline;
    return copy;
  }
}

/** Signed, so that it stays a small integer for the engine. */
export function recipientHash(id: string): number {
  return hash32(id) | 0;
}
