import { devTenantId, isRefusal, type Random } from "#base";
import type { EventCursor, EventPage } from "../../../runtime/event-page.ts";
import { copyPlain } from "../../../runtime/shard/plain.ts";
import { simulatedLimits } from "../process.ts";
import type { Stage } from "../scenario.ts";
import { newOwner } from "../scheduler.ts";
import type { EventPlace } from "../topology.ts";
import type { EventHistory } from "./event-history.ts";

/** Where a read of events began, and what it found. */
interface Look {
  readonly from: EventCursor;
  readonly page: EventPage;
}

/** The position of the events of a shard at a time. */
interface Seen {
  readonly atMs: number;
  readonly cursor: EventCursor;
}

const everyMs = 200;
/** The age of the cursors that it uses: around the time when the following events are deleted. */
const ageMs = {
  least: simulatedLimits.publishedKeptMs - 1_000,
  most: simulatedLimits.publishedKeptMs + 2_000,
};

/**
 * Uses cursors that are about to be too old, also with replaced owners: each is refused, or finds everything that
 * follows.
 */
export class Latecomer {
  readonly #stage: Stage;
  readonly #random: Random;
  readonly #owner = newOwner("latecomer");
  /** By shard, oldest first. */
  readonly #seen = new Map<number | string, Seen[]>();
  readonly #looks: Look[] = [];
  #stopped = false;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#random = stage.random;
  }

  start(): void {
    this.#stage.scheduler.schedule(this.#owner, everyMs, "come late", () => {
      if (this.#stopped) return;
      for (const [number, place] of this.#stage.eventPlaces()()) {
        this.#look(place, new Map(), (page) => this.#remember(number, page));
        const old = this.#oldCursor(number);
        if (old !== undefined) this.#look(place, old, (page) => this.#looks.push({ from: old, page }));
      }
      this.start();
    });
  }

  stop(): void {
    this.#stopped = true;
  }

  check({ events }: EventHistory): void {
    for (const { from, page } of this.#looks) {
      const found = new Set(page.events.map(({ shard, seq, index }) => `${shard}-${seq}-${index}`));
      const to = new Map(page.positions);
      for (const { shard, seq, index } of events) {
        const isBetween = seq > (from.get(shard) ?? Number.POSITIVE_INFINITY) && seq <= (to.get(shard) ?? 0);
        if (isBetween && !found.has(`${shard}-${seq}-${index}`))
          this.#stage.violate(`event ${shard}-${seq}-${index} was passed over`);
      }
    }
  }

  #remember(place: number | string, { positions }: EventPage): void {
    const seen = this.#seen.get(place) ?? [];
    seen.push({ atMs: this.#stage.scheduler.nowMs, cursor: new Map(positions) });
    this.#seen.set(place, seen);
  }

  #oldCursor(place: number | string): EventCursor | undefined {
    const { nowMs } = this.#stage.scheduler;
    const old = (this.#seen.get(place) ?? []).filter(
      ({ atMs }) => nowMs - atMs >= ageMs.least && nowMs - atMs <= ageMs.most,
    );
    return old.length === 0 ? undefined : this.#random.pick(old).cursor;
  }

  /** A refused or lost read tells nothing. */
  #look({ process, look }: EventPlace, cursor: EventCursor, found: (page: EventPage) => void): void {
    const asked = { tenant: devTenantId, after: [...cursor] };
    process.receive("poll", this.#random.float() * 2, () =>
      look(asked, (seen) => {
        if (!isRefusal(seen)) found(copyPlain(seen) as EventPage);
      }),
    );
  }
}
