import { type FieldError, limits, refuse, toRfc3339 } from "#base";
import type { TriggerRequest_InlineSubscriber } from "#protos";
import { Collection } from "../../kit/collection.ts";
import { messageOf } from "../../kit/message.ts";
import type { Message, Stored } from "../../kit/record.ts";
import { lengthProblems } from "../../notify/length.ts";
import { isMailAddress, noMailAddress } from "../../notify/outbound/mail-rules.ts";
import type { Channel, JsonObject } from "../../notify/outbound/types.ts";
import type { PreferenceSettings } from "../../notify/preference.ts";
import { isTimeZone } from "../../notify/schedule.ts";

/** All there is of a subscriber but its deliveries: one read decides what is sent to it. */
export interface Subscriber extends Stored {
  readonly externalId: string;
  readonly active: boolean;
  readonly profile: Profile;
  readonly endpoints: readonly Endpoint[];
  readonly preferences: readonly PreferenceRow[];
}

/** In the words of the contract; what is not set is absent. */
export type Profile = TriggerRequest_InlineSubscriber;

export interface Endpoint {
  readonly id: string;
  readonly channel: Channel;
  readonly providerKey: string;
  readonly identity: string;
  readonly connectionId?: string;
  readonly verified: boolean;
  readonly metadata: JsonObject;
  readonly lastUsedAt: number;
  readonly active: boolean;
  readonly suppressed?: { readonly reason: string; readonly at: number };
  /** Its owner was sent a link with this nonce, good until then. */
  readonly confirmation?: { readonly nonce: string; readonly until: number };
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface PreferenceRow {
  readonly id: string;
  readonly workflowKey?: string;
  readonly topicKey?: string;
  readonly contextKeys: readonly string[];
  readonly settings: PreferenceSettings;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export const subscribers = new Collection<Subscriber>({
  name: "subscribers",
  filters: [],
  order: "descending",
  unique: { external: ({ externalId }) => externalId },
});

export const noSubscriber = refuse("NOT_FOUND", "there is no such subscriber");

const profileFields: readonly (keyof Profile)[] = [
  "first_name",
  "last_name",
  "email",
  "phone",
  "avatar",
  "locale",
  "timezone",
  "data",
];

/** What a request gives of a profile. An empty text takes a field away. */
export function profileOf(given: Profile, before: Profile = {}): Profile {
  const merged: Record<string, unknown> = { ...before };
  for (const field of profileFields) {
    const value = given[field];
    if (value === "") delete merged[field];
    else if (value !== undefined) merged[field] = value;
  }
  return merged;
}

export function profileProblems({ email, locale, timezone, data }: Profile, at = ""): FieldError[] {
  const problems = lengthProblems(`${at}data`, data, limits.subscriberDataBytesMax);
  if (email !== undefined && !isMailAddress(email))
    problems.push({ field: `${at}email`, reason: noMailAddress });
  if (timezone !== undefined && !isTimeZone(timezone))
    problems.push({ field: `${at}timezone`, reason: `${timezone} is no IANA time zone` });
  if (locale !== undefined && !isLocale(locale))
    problems.push({ field: `${at}locale`, reason: `${locale} is no BCP 47 language tag` });
  return problems;
}

function isLocale(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}

export function subscriberMessage(subscriber: Subscriber): Message {
  return { ...messageOf(subscriber, ["profile", "endpoints", "preferences"]), ...subscriber.profile };
}

/** What conditions and templates see of a subscriber. */
export function subscriberView({ id, externalId, profile }: Subscriber): JsonObject {
  return { id, external_id: externalId, ...profile };
}

export function endpointMessage({ id: subscriber_id }: Pick<Subscriber, "id">, endpoint: Endpoint): Message {
  const { suppressed } = endpoint;
  return {
    ...messageOf(endpoint, ["suppressed", "confirmation"]),
    subscriber_id,
    ...(suppressed && { suppressed: { reason: suppressed.reason, at: toRfc3339(suppressed.at) } }),
  };
}

export function preferenceMessage(row: PreferenceRow): Message {
  const layer = row.topicKey !== undefined ? 5 : row.workflowKey !== undefined ? 4 : 3;
  return { ...messageOf(row, ["settings"]), layer, ...row.settings };
}
