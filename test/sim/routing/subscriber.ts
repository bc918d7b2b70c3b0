import { type Random, RefusalError } from "#base";
import type { CallContext } from "../../../actors/module.ts";
import type { EventLook, EventPage, EventsFrom } from "../../../runtime/event-page.ts";
import type { Asker } from "../../../runtime/index.ts";
import { lookForEvents, lookPauseMs } from "../look.ts";
import { simulatedLimits } from "../process.ts";
import type { Stage } from "../scenario.ts";
import { newOwner } from "../scheduler.ts";
import { played } from "./played.ts";
import type { Received } from "./received.ts";
import type { Message } from "./told.ts";

/** Some pauses are longer than events are kept. */
const absencesMs = [100, 300, 1_000, simulatedLimits.publishedKeptMs * 1.5];

/**
 * Follows the events through all crashes: reads, leaves in different ways, and comes back with its last cursor,
 * sometimes with an older one. If that is too old, it starts with new events.
 */
export class Subscriber {
  readonly #stage: Stage;
  readonly #random: Random;
  readonly #context: () => CallContext;
  readonly #received: Received;
  readonly #owner = newOwner("subscriber");
  #stop = new AbortController();
  /** True: it stays, and reads what arrives. */
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
      const absentMs = this.settled ? lookPauseMs : this.#random.float() * this.#random.pick(absencesMs);
      if (!this.stopped)
        this.#stage.scheduler.schedule(this.#owner, absentMs, "come back", () => this.follow());
    });
  }

  /** Without closing, like a connection that breaks. */
  leave(): void {
    this.#stop.abort();
  }

  /** Until it leaves, or is refused; returns the refusal. */
  async read(cursor: string): Promise<string | undefined> {
    if (cursor === "") this.#received.begins();
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    const call = { ...this.#context(), signal };
    const asker: Asker = {
      ...call.asker,
      subscribe: (from) => this.#look(from, signal),
    };
    const frames = played
      .subscribe()(request(cursor), { ...call, asker })
      [Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done, value } = await frames.next();
        if (done) return undefined;
        this.#received.add(value as Message);
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

  async *#look(from: EventsFrom, signal: AbortSignal): AsyncGenerator<EventPage> {
    this.#received.goesOn(from.cursor);
    const looker = {
      owner: this.#owner,
      random: this.#random,
      expired: (asked: EventLook) => {
        if ("after" in asked) this.#received.expired(new Map(asked.after));
      },
    };
    for await (const page of lookForEvents(this.#stage, looker, from, signal)) {
      this.#received.look(page);
      yield page;
    }
  }
}

async function* request(cursor: string): AsyncGenerator<unknown> {
  yield { cursor };
}
