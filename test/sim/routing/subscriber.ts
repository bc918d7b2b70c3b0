import { type EventPage, pollEvents } from "../../../runtime/events.ts";
import { copyPlain } from "../../../runtime/shard/plain.ts";
import type { PublishedEvent } from "../../../runtime/shard/published.ts";
import { simulatedLimits } from "../process.ts";
import type { Stage } from "../scenario.ts";
import { newOwner } from "../scheduler.ts";

/** Follows the published events through all crashes, as a subscriber with a cursor does. */
export class Subscriber {
  readonly #stage: Stage;
  readonly #owner = newOwner("subscriber");
  #cursor = new Map(Array.from({ length: simulatedLimits.shardCount }, (_, shard) => [shard, 0]));
  readonly #received = new Map<string, string>();
  stopped = false;
  everyMs = 400;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  follow(): void {
    const { scheduler, random } = this.#stage;
    scheduler.schedule(this.#owner, random.float() * this.everyMs, "follow", () => {
      if (this.stopped) return;
      for (const process of this.#stage.processes) {
        if (!process.alive) continue;
        process.receive("poll", random.float() * 2, () =>
          pollEvents(process.thread, this.#cursor, 0, (refusal, page) => {
            const copy = copyPlain(page) as EventPage;
            if (refusal === undefined)
              scheduler.schedule(this.#owner, random.float() * 2, "events", () => this.#take(copy));
          }),
        );
      }
      this.follow();
    });
  }

  #take({ events, positions }: EventPage): void {
    let last = "";
    for (const event of events) {
      const place = placeOf(event);
      if (last !== "" && last >= place && last.slice(0, 4) === place.slice(0, 4))
        this.#stage.violate(`event ${place} came after ${last}`);
      last = place;
      const text = JSON.stringify([event.kind, event.subject, event.payload]);
      const before = this.#received.get(place);
      if (before !== undefined && before !== text) this.#stage.violate(`event ${place} changed`);
      this.#received.set(place, text);
    }
    this.#cursor = new Map([...this.#cursor, ...positions]);
  }

  /** Everything, from the beginning, as it is kept. */
  async readAll(): Promise<PublishedEvent[]> {
    const all: PublishedEvent[] = [];
    let cursor = new Map([...this.#cursor.keys()].map((shard) => [shard, 0]));
    for (let last = -1; last !== all.length; ) {
      last = all.length;
      let heard = false;
      pollEvents(this.#stage.processes[0]!.thread, cursor, 0, (_refusal, page) => {
        heard = true;
        all.push(...page.events);
        cursor = new Map([...cursor, ...page.positions]);
      });
      await this.#stage.pass(10_000, () => heard);
    }
    return all.sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  }

  /** At least once, and nothing that did not happen. */
  check(all: readonly PublishedEvent[]): void {
    const kept = new Map(all.map((event) => [placeOf(event), event]));
    for (const [place, text] of this.#received) {
      const event = kept.get(place);
      if (event === undefined || JSON.stringify([event.kind, event.subject, event.payload]) !== text)
        this.#stage.violate(`event ${place} was sent and is not kept: ${text}`);
    }
    for (const [place, event] of kept)
      if (event.seq <= this.#cursor.get(event.shard)! && !this.#received.has(place))
        this.#stage.violate(`event ${place} (${event.kind}) was never sent`);
  }
}

/** Sorts as the events happened, shard by shard. */
function placeOf({ shard, seq, index }: PublishedEvent): string {
  const number = (value: number, digits: number) => String(value).padStart(digits, "0");
  return `${number(shard, 3)}/${number(seq, 9)}/${number(index, 4)}`;
}
