import { method } from "../kit/ask.ts";
import type { Message } from "../kit/record.ts";
import type { Manifest, NoticeSnapshot } from "./manifest.ts";

/** Which of these subscribers an audience has. */
export const findSubscribers = method<
  { readonly ids: readonly string[] },
  { readonly found: readonly string[] }
>("audience", "FindSubscribers");

/** For lists: the directory of topics knows ids. */
export const getTopicById = method<{ readonly id: string }, Message>("topic", "GetById");

interface Members {
  readonly key: string;
  readonly subscriberIds: readonly string[];
}

interface MembersAdded {
  readonly added: number;
  readonly updated: number;
  /** Of one that is asked for alone. */
  readonly joined_at?: number;
  readonly context_keys?: readonly string[];
}

export const addTopicMembers = method<Members & { readonly contextKeys: readonly string[] }, MembersAdded>(
  "topic",
  "AddMembers",
);
export const removeTopicMembers = method<Members, { readonly removed: number }>("topic", "RemoveMembers");
export const broadcast = method<{ readonly key: string; readonly manifest: Manifest }, Message>(
  "topic",
  "Broadcast",
);

interface Transaction {
  readonly transactionId: string;
}

export const getBroadcast = method<Transaction, Message>("topic", "GetBroadcast");
export const cancelBroadcast = method<Transaction, Message>("topic", "CancelBroadcast");

/** What a trigger takes of a workflow. */
export const snapshot = method<{ readonly user_id?: string }, NoticeSnapshot>("notice", "Snapshot");
