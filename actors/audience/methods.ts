import type { Refusal } from "#base";
import type { UpsertSubscriberRequest } from "#protos";
import { contractMethod, method } from "../kit/ask.ts";
import type { Message } from "../kit/record.ts";
import type { Manifest } from "../notify/manifest.ts";
import type { ClaimTransaction } from "./deliveries/claims.ts";
import type { Redrive } from "./deliveries/dead-letters.ts";
import type { Observed } from "./deliveries/observations.ts";
import type { Preview, Trigger, Triggered } from "./deliveries/trigger.ts";
import type { Watched, WatchInbox } from "./inbox.ts";
import type { NewEndpoint } from "./subscribers/endpoints.ts";
import type { FollowLink } from "./subscribers/follow.ts";

/** One for every entry of the request. */
type Results = readonly (Message | Refusal)[];

interface Transaction {
  readonly transactionId: string;
}

const kind = "audience";

export const getSubscriber = contractMethod(kind, "SubscriberService.GetSubscriber");
export const upsertSubscribers = method<{ readonly given: readonly UpsertSubscriberRequest[] }, Results>(
  kind,
  "UpsertSubscribers",
);
export const claimIdentity = method<{ readonly endpoint: NewEndpoint }, { readonly endpoint_id: string }>(
  kind,
  "ClaimIdentity",
);
export const getEndpoint = method<{ readonly subscriber_id: string; readonly endpoint_id: string }, Message>(
  kind,
  "GetEndpoint",
);
export const previewPreferences = method<Preview, Message>(kind, "Preview");
export const triggerOne = method<Trigger, Triggered>(kind, "Trigger");
export const claimTransaction = method<ClaimTransaction, { readonly at: number }>(kind, "ClaimTransaction");
export const findTransaction = method<Transaction, { readonly owner: string }>(kind, "FindTransaction");
export const getManifest = method<Transaction, { readonly manifest: Manifest | null }>(kind, "GetManifest");
export const getLinkSecret = method<object, { readonly secret: string }>(kind, "GetLinkSecret");
export const followLink = method<FollowLink, object>(kind, "FollowLink");
export const watchInbox = method<WatchInbox, Watched>(kind, "WatchInbox");
export const redrive = method<Redrive, Results>(kind, "Redrive");
export const observe = method<{ readonly seen: readonly Observed[] }, Results>(kind, "Observe");
