import { limits, type Random, RefusalError } from "#base";
import type { CallContext } from "../../../actors/module.ts";
import { type EventCursor, type EventPage, eventsWaitMs, pollEvents } from "../../../runtime/events.ts";
import type { Asker } from "../../../runtime/index.ts";
import { copyPlain } from "../../../runtime/shard/plain.ts";
import { type EventSource, subscribe } from "../../../runtime/subscribe.ts";
import { simulatedLimits } from "../process.ts";
import type { Stage } from "../scenario.ts";
import { newOwner } from "../scheduler.ts";
import { goneRefusal, lookAfter } from "./gone.ts";
import { played } from "./played.ts";
import type { Received } from "./received.ts";
import type { Message } from "./told.ts";

/** Some are longer than events are kept. */
const absencesMs = [100, 300, 1_000, simulatedLimits.publishedKeptMs * 1.5];
const pauseMs = 200;

/**
 * Follows the events through all crashes: reads, leaves in one way or another, and comes back with the cursor it was given
 * last, now and then with an old one; from now on where that is too old.
 */
export class Subscriber {
  readonly #stage: Stage;
  readonly #random: Random;
  readonly #context: () => CallContext;
  readonly #received: Received;
  readonly #owner = newOwner("subscriber");
  #stop = new AbortController();
  /** It stays, and reads what comes. */
  settled = false;
  stopped = false;

  constructor(stage: Stage, context: () => CallContext, received: Received) {
    this.#stage = stage;
    this.#random = stage.random;
    this.#context = context;
    this.#received = received;
  }

  /** Comes, and comes again whenever it has left. */
  follow(): void {
    const { cursors } = this.#received;
    const cursor = this.#random.chance(0.15) ? this.#random.pick(cursors) : cursors.at(-1);
    this.#leaveSometime();
    void this.read(cursor ?? "").then(() => {
      const absentMs = this.settled ? pauseMs : this.#random.float() * this.#random.pick(absencesMs);
      if (!this.stopped)
        this.#stage.scheduler.schedule(this.#owner, absentMs, "come back", () => this.follow());
    });
  }

  /** Without a word, as a connection that breaks. */
  leave(): void {
    this.#stop.abort();
  }

  /** Until it leaves, or is sent away: with what refusal. */
  async read(cursor: string): Promise<string | undefined> {
    if (cursor === "") this.#received.begins();
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    const call = { ...this.#context(), signal };
    const asker: Asker = {
      ...call.asker,
      subscribe: (from, _signal, looked) => this.#look(from, signal, looked),
    };
    const frames = played
      .subscribe()(request(cursor), { ...call, asker })
      [Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done, value } = await frames.next();
        if (done) return undefined;
        this.#received.take(value as Message);
        if (!this.settled && this.#random.chance(0.02))
          await this.#stage.scheduler.delay(this.#owner, this.#random.float() * 1_000, "read slowly");
        if (!signal.aborted) continue;
        await frames.return?.();
        return undefined;
      }
    } catch (error) {
      if (!(error instanceof RefusalError)) throw error;
      return error.refusal.code;
    }
  }

  #leaveSometime(): void {
    const { scheduler } = this.#stage;
    scheduler.schedule(this.#owner, this.#random.float() * 3_000, "leave", () => {
      if (!this.settled) this.leave();
    });
  }

  /** What the runtime of a gateway offers. The shards that only the product has are silent. */
  #look(
    from: EventCursor,
    signal: AbortSignal,
    looked?: (page: EventPage) => void,
  ): ReturnType<typeof subscribe> {
    this.#received.goesOn(from);
    const pause = (step: () => void) =>
      void this.#stage.scheduler.schedule(this.#owner, pauseMs, "pause", step);
    return subscribe(
      () => this.#sources(),
      from,
      signal,
      pause,
      (page) => {
        this.#received.look(page);
        looked?.({ ...page, positions: [...page.positions, ...silentShards] });
      },
    );
  }

  /** Each shard has one place where it is asked for: its owner, whoever that is by then. */
  #sources(): ReadonlyMap<number, EventSource> {
    const shards = Array.from({ length: simulatedLimits.shardCount }, (_, shard) => shard);
    return new Map(shards.map((shard) => [shard, (cursor, done) => this.#poll(shard, cursor, done)]));
  }

  /** One look takes its time, and may be lost with its process. */
  #poll(shard: number, cursor: EventCursor, done: Parameters<EventSource>[1]): void {
    const { scheduler } = this.#stage;
    const process = this.#stage.ownerOfShard(shard);
    let waits = true;
    const answer: typeof done = (refusal, page) => {
      if (waits) done(refusal, page);
      waits = false;
    };
    const gone = () => answer(goneRefusal(), { events: [], positions: [] });
    process?.receive("poll", this.#random.float() * 2, () =>
      pollEvents(process.thread, cursor, eventsWaitMs, (refusal, page) => {
        const found = copyPlain(pageOf(shard, page)) as EventPage;
        const isReplaced = process.isReplacedAt(shard);
        if (refusal && !isReplaced) this.#received.expired(cursor);
        scheduler.schedule(this.#owner, this.#random.float() * 2, "events", () =>
          isReplaced ? gone() : answer(refusal, found),
        );
      }),
    );
    lookAfter(scheduler, this.#owner, () => waits, { isThere: () => process?.alive === true, gone });
  }
}

function pageOf(shard: number, { events, positions }: EventPage): EventPage {
  return {
    events: events.filter((event) => event.shard === shard),
    positions: positions.filter(([of]) => of === shard),
  };
}

const silentShards = Array.from(
  { length: limits.shardCount - simulatedLimits.shardCount },
  (_, index) => [simulatedLimits.shardCount + index, 0] as const,
);

async function* request(cursor: string): AsyncGenerator<unknown> {
  yield { cursor };
}
