import type { Attempt, Delivery } from "./record.ts";

/**
 * A delivery as rows and events hold it: a list of values, those that most deliveries lack at its end, where 0 or nothing stands for
 * the value of `blank`. Times count from its creation. An event that has the list of a row refers to it in the journal.
 */
export type DeliveryRow = readonly unknown[];

/** What a new delivery has; in the order of the row. */
export const blank: Delivery = {
  id: "",
  transactionId: "",
  subscriberId: "",
  workflowKey: "",
  topicKey: "",
  channel: "email",
  tier: "direct",
  status: "queued",
  identity: "",
  reasonCode: "",
  winningLayer: 0,
  createdAt: 0,
  updatedAt: 0,
  expiresAt: 0,
  integrationId: "",
  providerKey: "",
  attempt: 0,
  attempts: [],
  providerAttempts: 0,
  providerMessageId: "",
  sentAt: 0,
  endpointId: "",
  metadata: {},
  endpointProvider: "",
  endpointConnection: "",
  contextKeys: [],
  generation: 1,
  rounds: 0,
  tried: [],
  retryAt: 0,
  waitsFor: "",
  failure: null,
  deadLetterId: "",
  observations: 0,
  observationState: "",
  reconciliationRequired: false,
};

const names = Object.keys(blank) as (keyof Delivery)[];
const times = new Set(["updatedAt", "expiresAt", "sentAt", "retryAt"]);

export function toRow(delivery: Delivery): DeliveryRow {
  const { createdAt } = delivery;
  const row: unknown[] = names.map((name) => {
    const value = delivery[name];
    if (value === blank[name] || isEmpty(value)) return 0;
    if (name === "attempts") return delivery.attempts.map((one) => toList(one, createdAt));
    return times.has(name) ? since(createdAt, Number(value)) : value;
  });
  let length = row.length;
  while (row[length - 1] === 0) length--;
  row.length = length;
  return row;
}

export function fromRow(row: DeliveryRow): Delivery {
  const createdAt = Number(row[names.indexOf("createdAt")]);
  const read: Record<string, unknown> = { ...blank };
  for (const [index, name] of names.entries()) {
    const value = row[index] ?? 0;
    if (value === 0) continue;
    if (name === "attempts") read[name] = (value as AttemptList[]).map((one) => fromList(one, createdAt));
    else read[name] = times.has(name) ? until(createdAt, Number(value)) : value;
  }
  return { ...blank, ...read };
}

type AttemptList = readonly [number, number, string, string, number, number, Attempt["result"], string];

function toList(attempt: Attempt, createdAt: number): AttemptList {
  const {
    generation,
    attempt: number,
    integrationId,
    providerKey,
    startedAt,
    endedAt,
    result,
    code,
  } = attempt;
  const times = [since(createdAt, startedAt), since(createdAt, endedAt)] as const;
  return [generation, number, integrationId, providerKey, ...times, result, code];
}

function fromList(list: AttemptList, createdAt: number): Attempt {
  const [generation, attempt, integrationId, providerKey, started, ended, result, code] = list;
  const startedAt = until(createdAt, started);
  const endedAt = until(createdAt, ended);
  return { generation, attempt, integrationId, providerKey, startedAt, endedAt, result, code };
}

function isEmpty(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  for (const _ in value) return false;
  return true;
}

/** 0 is no time; the moment of the creation is 1. */
function since(createdAt: number, time: number): number {
  return time === 0 ? 0 : time - createdAt + 1;
}

function until(createdAt: number, stored: number): number {
  return stored === 0 ? 0 : createdAt + stored - 1;
}
