import type { Answer, Ask, Asker } from "./ask.ts";
import { type Insight, insightOf, type ListedActor, listActors } from "./insight.ts";
import type { PublishedEvent } from "./shard/published.ts";
import { type EventCursor, subscribeLocal } from "./subscribe.ts";
import { Thread, type ThreadOptions } from "./thread/thread.ts";

export interface RuntimeOptions extends ThreadOptions {
  /** The shards this thread owns. */
  readonly shards: readonly number[];
  /** Membership version on which that rests; one for a single process. */
  readonly view?: number;
}

export interface Runtime extends Asker {
  /** As `ask`, with a callback: for callers that would only throw the promise away. */
  post(ask: Ask, reply: (answer: Answer) => void): void;
  subscribe(cursor: EventCursor, signal: AbortSignal): AsyncIterable<PublishedEvent>;
  onBroadcast(listener: (topic: string, payload: unknown) => void): () => void;
  insight(): Insight;
  actors(filter: { readonly failing: boolean }): readonly ListedActor[];
  /** Takes no more asks; resolves when what was taken is answered and stored. */
  drain(): Promise<void>;
  /** Ends at once, as a crash would: nothing is written any more. */
  stop(): void;
}

/** Opens the shards and answers for them. Resolves when all of them are ready. */
export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
  const thread = new Thread(options);
  await thread.open(options.shards, options.view ?? 1);
  return runtimeOf(thread);
}

export function runtimeOf(thread: Thread): Runtime {
  return {
    ask: (ask) => new Promise((resolve) => thread.post(ask, resolve)),
    post: (ask, reply) => thread.post(ask, reply),
    subscribe: (cursor, signal) => subscribeLocal(thread, cursor, signal),
    onBroadcast(listener) {
      thread.broadcastListeners.add(listener);
      return () => void thread.broadcastListeners.delete(listener);
    },
    insight: () => insightOf(thread),
    actors: (filter) => listActors(thread, filter),
    drain: () => thread.drain(),
    stop: () => thread.stop(),
  };
}
