import type { Context } from "#runtime";
import { nextRecord } from "../../kit/record.ts";
import type { Event, Publication } from "../state.ts";
import type { Subscriber } from "./record.ts";

export type SubscriberPut = Extract<Event, { type: "subscriber_put" }>;

interface Published extends Pick<Publication, "about" | "verb"> {
  readonly endpoint_id?: string;
  readonly channel?: string;
  readonly reason?: string;
  readonly preference_id?: string;
}

/** The event of a new or changed subscriber; it is published with the external id. */
export function putEvent(
  before: Subscriber | null,
  after: Subscriber,
  { about, verb, ...more }: Published,
): SubscriberPut {
  const payload = { external_id: after.externalId, ...more };
  return { type: "subscriber_put", before, after, publishes: { about, verb, payload } };
}

/** As `putEvent`, where the version is still that of before. */
export function changed(
  before: Subscriber,
  next: Subscriber,
  { now }: Context,
  publishes: Published,
): SubscriberPut {
  return putEvent(before, nextRecord<Subscriber>(before, next, now) ?? before, publishes);
}
