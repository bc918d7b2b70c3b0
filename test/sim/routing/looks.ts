import { isRefusal, type Random } from "#base";
import { type ItemState, isOver } from "../../../actors/pools/queue/rows/item.ts";
import type { Callers } from "../caller.ts";
import type { Stage } from "../scenario.ts";
import type { Doors } from "./doors.ts";
import type { ShownItem } from "./progress.ts";
import { at } from "./set-up.ts";
import { type KnownPool, type Message, settlementOf, type Told } from "./told.ts";

/** Callers that look at items and wait for them, and workers that say how far they are. */
export class Looks {
  readonly #stage: Stage;
  readonly #random: Random;
  readonly #callers: Callers;
  readonly #doors: Doors;
  readonly #told: Told;

  constructor(stage: Stage, callers: Callers, doors: Doors, told: Told) {
    this.#stage = stage;
    this.#random = stage.random;
    this.#callers = callers;
    this.#doors = doors;
    this.#told = told;
  }

  /** Questions that change nothing. */
  look(pool: KnownPool): void {
    const random = this.#random;
    if (random.chance(1 / 3)) {
      const attributes = { c: "a", ...(random.chance(0.5) && { away: true }) };
      const request = { pool_id: pool.id, key: "k1", attributes, payload: "preview" };
      this.#doors.call("AdmissionService.PreviewAdmission", request, undefined, () => {});
      return;
    }
    const id = random.pick([...pool.items.keys()]) ?? "";
    const what = random.int(3);
    if (what === 0) this.#show(pool, id);
    else if (what === 1) this.#await(pool, id);
    else this.#question(pool, "QueueControlService.GetQueueStatus", {}, () => {});
  }

  #show(pool: KnownPool, queue_item_id: string): void {
    const askedMs = this.#stage.scheduler.nowMs;
    this.#question(pool, "QueueService.GetItem", { queue_item_id }, (item) =>
      this.#told.progress.checkShown(item as unknown as ShownItem, askedMs),
    );
  }

  #await(pool: KnownPool, queue_item_id: string): void {
    const askedMs = this.#stage.scheduler.nowMs;
    const until = this.#random.pick(["started", "finished"] as const);
    const request = { queue_item_id, wait_ms: this.#random.int(3_000), until };
    this.#question(pool, "QueueService.AwaitItem", request, (response) => {
      const { item, reached } = response as unknown as Awaited;
      this.#told.progress.checkShown(item, askedMs);
      const isReached = isOver(item.state) || (until === "started" && item.deliveries > 0);
      if (reached !== isReached)
        this.#stage.violate(`who waits until ${item.id} is ${until} is told ${reached} of ${item.state}`);
    });
  }

  #question(pool: KnownPool, method: string, request: Message, heard: (response: Message) => void): void {
    const asked = { to: at(pool, "queue"), method, request: { pool_id: pool.id, ...request } };
    this.#callers.send(asked, 0.2, (answer) => {
      if (!isRefusal(answer)) heard(answer.response as Message);
    });
  }

  /** Asked once, and not again before there is an answer: so it is known which of a lease's is the newest. */
  progress(pool: KnownPool): void {
    const lease = this.#random.pick(pool.leases.filter(({ tried }) => tried.size === 0));
    const progress = lease && this.#told.progress.next(lease);
    if (progress === undefined) return;
    const request = { pool_id: pool.id, ...settlementOf(lease!), progress };
    const asked = { to: at(pool, "queue"), method: "QueueService.Extend", request };
    this.#callers.send(asked, 0.05, (answer) => {
      if (!isRefusal(answer)) {
        this.#told.settled(lease!, "extend", answer.response as Message);
        this.#told.progress.answered(lease!, "granted");
        this.#callers.think(1_000, () => this.#show(pool, lease!.itemId));
        if (this.#random.chance(0.5)) this.progress(pool);
      } else if (answer.code === "RATE_LIMITED") this.#told.progress.answered(lease!, "refused");
    });
  }
}

interface Awaited {
  readonly item: ShownItem & { readonly state: ItemState };
  readonly reached: boolean;
}
