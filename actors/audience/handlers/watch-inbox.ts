import { limits } from "#base";
import type { Message } from "../../kit/record.ts";
import { type CallContext, opened, type StreamHandler } from "../../module.ts";
import { audienceOfId, tell } from "../parts.ts";
import type { InboxSeen } from "../state.ts";

interface WatchRequest {
  readonly subscriber_id: string;
  readonly after_sequence?: number;
}

interface Watched {
  readonly messages: readonly Message[];
  readonly seen: InboxSeen;
}

/** One question after the other waits for a change: what arrives between two of them is in the answer to the next. */
export const watchInbox: StreamHandler = async function* (requests, call) {
  const { subscriber_id: subscriberId, after_sequence } = await firstOf(requests);
  let { seen } = await look(call, subscriberId);
  yield opened;
  yield { count: { unread_count: seen.unread } };
  if (after_sequence !== undefined) seen = { ...seen, sequence: after_sequence };
  const gone = leaving(call);
  while (!call.signal.aborted) {
    const told: Watched | undefined = await Promise.race([look(call, subscriberId, seen), gone]);
    if (told === undefined) return;
    for (const message of told.messages) yield { message };
    if (told.seen.unread !== seen.unread) yield { count: { unread_count: told.seen.unread } };
    seen = told.seen;
  }
};

function look(call: CallContext, subscriberId: string, seen?: InboxSeen): Promise<Watched> {
  const deadlineMs = call.clock.now() + limits.inboxWatchMs * 2;
  return tell<Watched>({ ...call, deadlineMs }, audienceOfId(call.caller.tenant, subscriberId), {
    type: "watch_inbox",
    subscriberId,
    ...(seen && { seen }),
    waitMs: limits.inboxWatchMs,
  });
}

/** A question that waits is not answered when its caller leaves. */
function leaving({ signal }: CallContext): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}

async function firstOf(requests: AsyncIterable<unknown>): Promise<WatchRequest> {
  for await (const request of requests) return request as WatchRequest;
  throw new Error("a server stream has a request");
}
