import { handleOfChild, limits, RefusalError } from "#base";
import type { WatchInboxRequest } from "#protos";
import { ask } from "../../kit/ask.ts";
import { type CallContext, opened, RefusedMessage, type StreamHandler } from "../../module.ts";
import type { Watched } from "../inbox.ts";
import { watchInbox as watch } from "../methods.ts";
import type { InboxSeen } from "../state.ts";

/** One question after the other waits for a change: what arrives between two of them is in the answer to the next. */
export const watchInbox: StreamHandler<WatchInboxRequest> = async function* (requests, call) {
  const { subscriber_id: subscriberId, after_sequence } = await firstOf(requests);
  let { seen } = await look(call, subscriberId);
  yield opened;
  yield { count: { unread_count: seen.unread } };
  if (after_sequence !== undefined) seen = { ...seen, sequence: after_sequence };
  const gone = leaving(call);
  while (!call.signal.aborted) {
    const found: Watched | undefined = await Promise.race([look(call, subscriberId, seen), gone]);
    if (found === undefined) return;
    for (const message of found.messages) yield { message };
    if (found.seen.unread !== seen.unread) yield { count: { unread_count: found.seen.unread } };
    seen = found.seen;
  }
};

function look(call: CallContext, subscriberId: string, seen?: InboxSeen): Promise<Watched> {
  const deadlineMs = call.clock.now() + limits.inboxWatchMs * 2;
  const request = { subscriberId, ...(seen && { seen }), waitMs: limits.inboxWatchMs };
  return ask({ ...call, deadlineMs }, watch, { key: handleOfChild(subscriberId), request });
}

/** A question that waits is not answered when its caller leaves. */
function leaving({ signal }: CallContext): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}

async function firstOf<Request>(requests: AsyncIterable<Request | RefusedMessage>): Promise<Request> {
  for await (const request of requests) {
    if (request instanceof RefusedMessage) throw new RefusalError(request.refusal);
    return request;
  }
  throw new Error("a server stream has a request");
}
