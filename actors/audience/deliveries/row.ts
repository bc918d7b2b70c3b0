import type { JsonObject } from "../../notify/outbound/types.ts";
import type { Attempt, Delivery, DeliveryFailure } from "./record.ts";

/**
 * A delivery as rows and events hold it: a list of values, those that most deliveries lack at its end, where absent means none. Times
 * count from its creation. An event that has the list of a row refers to it in the journal.
 */
export type DeliveryRow = readonly unknown[];

const at = {
  id: 0,
  transactionId: 1,
  subscriberId: 2,
  workflowKey: 3,
  topicKey: 4,
  channel: 5,
  tier: 6,
  status: 7,
  identity: 8,
  reasonCode: 9,
  winningLayer: 10,
  createdAt: 11,
  updatedAt: 12,
  expiresAt: 13,
  integrationId: 14,
  providerKey: 15,
  attempt: 16,
  attempts: 17,
  providerAttempts: 18,
  providerMessageId: 19,
  sentAt: 20,
  endpointId: 21,
  metadata: 22,
  endpointProvider: 23,
  endpointConnection: 24,
  contextKeys: 25,
  generation: 26,
  rounds: 27,
  tried: 28,
  retryAt: 29,
  waitsFor: 30,
  failure: 31,
  deadLetterId: 32,
  observations: 33,
  observationState: 34,
  reconciliationRequired: 35,
} as const;

export function toRow(delivery: Delivery): DeliveryRow {
  const { createdAt } = delivery;
  // In the order of `at`.
  const row = [
    delivery.id,
    delivery.transactionId,
    delivery.subscriberId,
    delivery.workflowKey,
    delivery.topicKey || 0,
    delivery.channel,
    delivery.tier,
    delivery.status,
    delivery.identity || 0,
    delivery.reasonCode,
    delivery.winningLayer,
    createdAt,
    delivery.updatedAt - createdAt,
    delivery.expiresAt - createdAt,
    delivery.integrationId || 0,
    delivery.providerKey || 0,
    delivery.attempt,
    delivery.attempts.map((attempt) => attemptToRow(attempt, createdAt)),
    delivery.providerAttempts,
    delivery.providerMessageId || 0,
    since(createdAt, delivery.sentAt),
    delivery.endpointId || 0,
    objectToRow(delivery.metadata),
    delivery.endpointProvider || 0,
    delivery.endpointConnection || 0,
    listToRow(delivery.contextKeys),
    delivery.generation - 1,
    delivery.rounds,
    listToRow(delivery.tried),
    since(createdAt, delivery.retryAt),
    delivery.waitsFor || 0,
    failureToRow(delivery.failure),
    delivery.deadLetterId || 0,
    delivery.observations,
    delivery.observationState || 0,
    delivery.reconciliationRequired ? 1 : 0,
  ];
  let length = row.length;
  while (row[length - 1] === 0) length--;
  row.length = length;
  return row;
}

export function fromRow(row: unknown): Delivery {
  const r = row as readonly (never | undefined)[];
  const createdAt: number = r[at.createdAt]!;
  const attempts: readonly AttemptRow[] = r[at.attempts] || noList;
  const failure: FailureRow | 0 = r[at.failure] ?? 0;
  return {
    id: r[at.id]!,
    transactionId: r[at.transactionId]!,
    subscriberId: r[at.subscriberId]!,
    workflowKey: r[at.workflowKey]!,
    topicKey: r[at.topicKey] || "",
    channel: r[at.channel]!,
    tier: r[at.tier]!,
    endpointId: r[at.endpointId] || "",
    identity: r[at.identity] || "",
    metadata: r[at.metadata] || noObject,
    endpointProvider: r[at.endpointProvider] || "",
    endpointConnection: r[at.endpointConnection] || "",
    contextKeys: r[at.contextKeys] || noList,
    status: r[at.status]!,
    integrationId: r[at.integrationId] || "",
    waitsFor: r[at.waitsFor] || "",
    providerKey: r[at.providerKey] || "",
    providerMessageId: r[at.providerMessageId] || "",
    failure: failure === 0 ? null : failureFromRow(failure),
    reasonCode: r[at.reasonCode]!,
    winningLayer: r[at.winningLayer]!,
    retryAt: until(createdAt, r[at.retryAt]),
    generation: (r[at.generation] ?? 0) + 1,
    attempt: r[at.attempt] ?? 0,
    providerAttempts: r[at.providerAttempts] ?? 0,
    rounds: r[at.rounds] ?? 0,
    tried: r[at.tried] || noList,
    attempts: attempts.map((attempt) => attemptFromRow(attempt, createdAt)),
    observations: r[at.observations] ?? 0,
    observationState: r[at.observationState] || "",
    reconciliationRequired: r[at.reconciliationRequired] === 1,
    deadLetterId: r[at.deadLetterId] || "",
    expiresAt: createdAt + (r[at.expiresAt] ?? 0),
    createdAt,
    updatedAt: createdAt + (r[at.updatedAt] ?? 0),
    sentAt: until(createdAt, r[at.sentAt]),
  };
}

type AttemptRow = readonly [number, number, string, string, number, number, Attempt["result"], string];

function attemptToRow(attempt: Attempt, createdAt: number): AttemptRow {
  return [
    attempt.generation,
    attempt.attempt,
    attempt.integrationId,
    attempt.providerKey,
    attempt.startedAt - createdAt,
    since(createdAt, attempt.endedAt),
    attempt.result,
    attempt.code,
  ];
}

function attemptFromRow(row: AttemptRow, createdAt: number): Attempt {
  return {
    generation: row[0],
    attempt: row[1],
    integrationId: row[2],
    providerKey: row[3],
    startedAt: createdAt + row[4],
    endedAt: until(createdAt, row[5]),
    result: row[6],
    code: row[7],
  };
}

type FailureRow = readonly [DeliveryFailure["phase"], string, string];

function failureToRow(failure: DeliveryFailure | null): FailureRow | 0 {
  return failure === null ? 0 : [failure.phase, failure.code, failure.detail];
}

function failureFromRow([phase, code, detail]: FailureRow): DeliveryFailure {
  return { phase, code, detail };
}

const noList: readonly never[] = [];
const noObject: JsonObject = {};

function listToRow(list: readonly string[]): readonly string[] | 0 {
  return list.length === 0 ? 0 : list;
}

function objectToRow(object: JsonObject): JsonObject | 0 {
  for (const _ in object) return object;
  return 0;
}

/** 0 is no time; the moment of the creation is 1. */
function since(createdAt: number, time: number): number {
  return time === 0 ? 0 : time - createdAt + 1;
}

function until(createdAt: number, stored: number | undefined): number {
  return stored === undefined || stored === 0 ? 0 : createdAt + stored - 1;
}
