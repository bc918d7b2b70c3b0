import type { Context } from "#runtime";
import { nextRecord } from "../../kit/record.ts";
import type { Event, Publication } from "../state.ts";
import type { Endpoint, Subscriber } from "./record.ts";

export type SubscriberPut = Extract<Event, { type: "subscriber_put" }>;

/** The event of a new or changed subscriber; it is published with the external id. */
export function putEvent(
  before: Subscriber | null,
  after: Subscriber,
  about: Publication["about"],
  verb: string,
  more: object = {},
): SubscriberPut {
  const payload = { external_id: after.externalId, ...more };
  return { type: "subscriber_put", before, after, publishes: { about, verb, payload } };
}

/** As `putEvent`, where the version is still that of before. */
export function changed(
  before: Subscriber,
  next: Subscriber,
  { now }: Pick<Context, "now">,
  ...publishes: [about: Publication["about"], verb: string, more?: object]
): SubscriberPut {
  return putEvent(before, nextRecord<Subscriber>(before, next, now) ?? before, ...publishes);
}

/** With an endpoint in the place of the one that it was, if there was one. */
export function withEndpoint(
  subscriber: Subscriber,
  known: Endpoint | undefined,
  endpoint: Endpoint,
  context: Pick<Context, "now">,
  verb: string,
  more: object = {},
): SubscriberPut {
  const endpoints = [...subscriber.endpoints.filter((other) => other !== known), endpoint];
  const { id: endpoint_id, channel } = endpoint;
  const published = { endpoint_id, channel, ...more };
  return changed(subscriber, { ...subscriber, endpoints }, context, "endpoint", verb, published);
}
