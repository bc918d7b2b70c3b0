import type { Channel, IntegrationCopy, JsonObject } from "../../notify/outbound/types.ts";
import type { Delivery } from "./record.ts";

export const sendEffect = "notification_send";
/** To providers that have few connections: fewer attempts are under way, and fewer are unknown after a crash. */
export const sendFewEffect = "notification_send_few";

/** What the handler of an attempt is given. */
export interface SendBody {
  readonly transactionId: string;
  readonly key: string;
  readonly channel: Channel;
  readonly to: string;
  readonly metadata: JsonObject;
  readonly subscriber: JsonObject;
  readonly integration: Pick<IntegrationCopy, "id" | "providerKey" | "connectionId" | "casing" | "metadata">;
  readonly expiresAt: number;
  /** Of a pacer's slot: later it sends nothing; 0: any time will do. */
  readonly untilMs: number;
}

/** As the effect's row and the event hold it: a list, so that the event refers to the row. */
export type SendRow = readonly [
  transactionId: string,
  key: string,
  channel: Channel,
  to: string,
  metadata: JsonObject,
  subscriber: JsonObject,
  integrationId: string,
  providerKey: string,
  connectionId: string,
  casing: IntegrationCopy["casing"],
  settings: JsonObject,
  expiresAt: number,
  untilMs: number,
];

export function sendBodyOf(row: SendRow): SendBody {
  const [transactionId, key, channel, to, metadata, subscriber, id, providerKey, connectionId, ...rest] = row;
  const [casing, settings, expiresAt, untilMs] = rest;
  const integration = { id, providerKey, connectionId, casing, metadata: settings };
  return { transactionId, key, channel, to, metadata, subscriber, integration, expiresAt, untilMs };
}

export function sendKindOf(row: SendRow): string {
  return row[7] === "smtp" ? sendFewEffect : sendEffect;
}

/** Of a connection; direct messages have another one, so that they do not stand behind those of broadcasts. */
export function sendLaneOf(row: SendRow, { tier }: Delivery): string {
  const integrationId = row[6];
  const connectionId = row[8];
  return `${connectionId === "" ? integrationId : connectionId} ${tier}`;
}

/** An attempt is an effect of its own; the key that the provider gets is that of the generation. */
export function effectId(delivery: Pick<Delivery, "id" | "generation" | "attempt">): string {
  return `${delivery.id}.${delivery.generation}.${delivery.attempt}`;
}
