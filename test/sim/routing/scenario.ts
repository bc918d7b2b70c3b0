import { unpackRecord } from "../../../actors/pools/router/record.ts";
import type { Scenario, Stage } from "../scenario.ts";
import type { DurableEntry } from "../watch.ts";
import { type QueueAudit, type RouterAudit, watchedActors } from "./actors.ts";
import { Clients } from "./clients.ts";
import { EventHistory } from "./event-history.ts";
import { everyItem } from "./every-item.ts";
import { forgottenItems } from "./forgotten.ts";
import { jobProblems } from "./jobs.ts";
import { Latecomer } from "./latecomer.ts";
import { QueueLog } from "./log.ts";
import { LongAfter } from "./long-after.ts";
import { Received } from "./received.ts";
import { at, completePool } from "./set-up.ts";
import { Subscriber } from "./subscriber.ts";
import { type KnownPool, type Message, Told, wantedIdOf } from "./told.ts";
import { waitProblems } from "./wait.ts";

/** Longer than any lease, reservation, back-off, debounce and ejection of a run. */
const restMs = 20_000;
/** Time to live of the heartbeats that recipients send at the end; longer than a round of claims takes. */
const lastBeatSeconds = 30;
/** An entity that does nothing for so long has left the memory. */
const idleMs = 6_000;
/** After this many rounds of two seconds without a claimed item, what is left counts as stuck. */
const idleRoundsMax = 10;

/** Real pools, routers and queues under the same faults: what is promised about items, leases and routings. */
export class RoutingScenario implements Scenario {
  readonly #stage: Stage;
  readonly #told: Told;
  readonly #clients: Clients;
  readonly #received: Received;
  readonly #subscriber: Subscriber;
  readonly #latecomer: Latecomer;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#told = new Told(stage);
    this.#clients = new Clients(stage, this.#told);
    this.#received = new Received(stage);
    this.#subscriber = new Subscriber(stage, () => this.#clients.context(), this.#received);
    this.#latecomer = new Latecomer(stage);
  }

  actors(report: (claim: string) => void) {
    return watchedActors(report);
  }

  get acknowledged(): number {
    return this.#told.acknowledged;
  }

  start(): void {
    this.#clients.start();
    this.#subscriber.follow();
    this.#latecomer.start();
  }

  stop(): void {
    this.#clients.stop();
    this.#latecomer.stop();
  }

  unanswered(): readonly string[] {
    return this.#clients.unanswered();
  }

  async reckon(): Promise<void> {
    const known = this.#told.pools.filter(({ id }) => id !== "");
    for (const pool of known) await completePool(pool, this.#stage);
    this.#subscriber.settled = true;
    // With leases open, with everything waiting, and with nothing left to do.
    for (const pool of known) await this.#auditQueue(pool);
    await this.#stage.pass(restMs);
    for (const pool of known) await this.#auditQueue(pool);
    for (const pool of known) await this.#checkWait(pool);
    for (const pool of known) await this.#finish(pool);
    await this.#stage.pass(restMs);
    if (this.#stage.violated) return;
    const durable = [...this.#stage.durable()];
    const history = this.#checkEvents(durable);
    const happened: string[] = [];
    for (const pool of known) {
      const queue = await this.#auditQueue(pool);
      if (queue === undefined) return;
      const forgotten = forgottenItems(durable, pool);
      for (const problem of jobProblems(durable, pool)) this.#stage.violate(problem);
      const { groups, payloads } = everyItem(durable, pool);
      const log = new QueueLog(pool, queue, { groups, forgotten }, (claim) => this.#stage.violate(claim));
      log.check(history.events);
      this.#checkItems(pool, queue, log);
      for (const [id, payload] of payloads) {
        this.#told.checkPayload(id, payload);
        happened.push(wantedIdOf(payload));
      }
      happened.push(...(await this.#checkRouter(pool)));
    }
    // Over all pools: a retry follows the redirect of the first attempt, whatever the rules say by then.
    this.#checkOnce(happened);
    await this.#checkDirectory(known);
    await this.#checkLongAfter(known);
  }

  async #checkLongAfter(known: readonly KnownPool[]): Promise<void> {
    if (this.#stage.violated) return;
    const [oldCursor] = this.#received.cursors;
    this.#subscriber.stopped = true;
    this.#subscriber.leave();
    const longAfter = new LongAfter(this.#stage, this.#subscriber, (...asked) => this.#demand(...asked));
    await longAfter.check(known, oldCursor);
  }

  #checkEvents(durable: readonly DurableEntry[]): EventHistory {
    const history = new EventHistory(durable);
    for (const claim of history.tooEarly()) this.#stage.violate(claim);
    this.#received.check(history);
    this.#latecomer.check(history);
    return history;
  }

  async #auditQueue(pool: KnownPool): Promise<QueueAudit | undefined> {
    const audit = await this.#demand<QueueAudit>(pool, "queue", "audit");
    if (audit === undefined) return undefined;
    const router = await this.#demand<RouterAudit>(pool, "router", "audit");
    for (const problem of audit.problems) this.#stage.violate(`${pool.settings.name}: ${problem}`);
    for (const item of audit.items) this.#told.progress.checkStored(item, audit.histories);
    this.#stage.scheduler.note(JSON.stringify(audit));
    for (const problem of router ? waitProblems(pool.settings, audit, router) : [])
      this.#stage.violate(`${pool.settings.name}: ${problem}`);
    return audit;
  }

  /** A caller that waits for an item hears of its end at once, also when its queue had nothing else to do for long. */
  async #checkWait(pool: KnownPool): Promise<void> {
    const states = ["scheduled", "ready", "retry_wait"];
    const list = await this.#demand<{ items: Message[] }>(pool, "queue", "QueueService.ListItems", {
      states,
    });
    const [item] = list?.items ?? [];
    if (item === undefined) return;
    const request = { queue_item_id: item.id, wait_ms: 30_000 };
    let answer: Message | undefined;
    void this.#demand<Message>(pool, "queue", "QueueService.AwaitItem", request).then((told) => {
      answer = told;
    });
    await this.#stage.pass(idleMs);
    await this.#demand(pool, "queue", "QueueService.Cancel", { queue_item_id: item.id });
    await this.#stage.pass(2_000, () => answer !== undefined);
    if (answer?.reached !== true && !this.#stage.violated)
      this.#stage.violate(`who waits for ${item.id} is told ${JSON.stringify(answer)} when it has ended`);
  }

  /** With everything open and enough time nothing is left waiting: no slot leaked, no item stuck. */
  async #finish(pool: KnownPool): Promise<void> {
    await this.#demand(pool, "queue", "QueueControlService.ResumeQueue");
    let left: Message = {};
    for (let idleRounds = 0; idleRounds < idleRoundsMax; idleRounds++) {
      left = (await this.#demand<Message>(pool, "queue", "QueueControlService.GetQueueStatus")) ?? {};
      if (this.#stage.violated || (left.depth === 0 && left.leased === 0)) return this.#fallSilent(pool);
      for (const recipient_id of pool.recipientIds) {
        await this.#bringBack(pool, recipient_id);
        const request = { recipient_id, max_items: 20 };
        const claimed = await this.#demand<{ items: Message[] }>(
          pool,
          "queue",
          "QueueService.Claim",
          request,
        );
        const settlements = (claimed?.items ?? []).map(({ item, lease_token }) => ({
          queue_item_id: (item as Message).id,
          lease_token,
          outcome: "complete",
        }));
        if (settlements.length === 0) continue;
        await this.#demand(pool, "queue", "QueueService.SettleBatch", { settlements });
        // Throttled items leave as slowly as the throttle allows; each one is progress.
        idleRounds = 0;
      }
      await this.#stage.pass(2_000);
    }
    this.#stage.violate(`${pool.settings.name}: stuck with ${JSON.stringify(left)}`);
  }

  /** Removes whatever keeps a recipient from claiming. */
  async #bringBack(pool: KnownPool, recipient_id: string): Promise<void> {
    await this.#demand(pool, "pool", "RecipientService.ResumeRecipient", { recipient_id });
    if (!pool.beaten.has(recipient_id)) return;
    const beat = { recipient_id, ttl_seconds: lastBeatSeconds };
    await this.#demand(pool, "router", "RecipientService.Heartbeat", beat);
    pool.silent.add(recipient_id);
  }

  /** The last heartbeats are overdue again. */
  async #fallSilent({ silent }: KnownPool): Promise<void> {
    if (silent.size > 0) await this.#stage.pass((lastBeatSeconds + 1) * 1_000);
  }

  #checkItems(pool: KnownPool, { items, bodies }: QueueAudit, log: QueueLog): void {
    const states = new Map(items.map(({ id, state }) => [id, state]));
    for (const [id, wanted] of pool.items)
      if (!states.has(id) && !log.isGone(id))
        this.#stage.violate(`${wanted.id} was acknowledged as ${id} and is lost`);
    for (const id of this.#told.cancelled)
      if (states.has(id) && states.get(id) !== "cancelled")
        this.#stage.violate(`${id} was cancelled and is ${states.get(id)}`);
    for (const [id, { payload }] of bodies) this.#told.checkPayload(id, payload);
  }

  /** The keys of its routings. */
  async #checkRouter(pool: KnownPool): Promise<readonly string[]> {
    const router = await this.#demand<RouterAudit>(pool, "router", "audit");
    if (router === undefined) return [];
    for (const { id, offline } of router.recipients)
      if (pool.silent.has(id) && !offline) this.#stage.violate(`${id} was not heard of and is not offline`);
    if (router.holds.length > 0)
      this.#stage.violate(`${router.holds.join()} are held without a lease or reservation`);
    const records = new Map(router.routings.map(([id, record]) => [id, unpackRecord(record)]));
    for (const routing of pool.routings)
      for (const outcome of routing.outcomes)
        if (router.outcomes.filter((id) => id === outcome).length !== 1)
          this.#stage.violate(`${outcome} was acknowledged and is not there once`);
    const told = new Map(pool.routings.map(({ id, recipientId }) => [id, recipientId]));
    for (const { id, key } of pool.routings)
      if (!records.has(id)) this.#stage.violate(`routing ${id} was acknowledged and is lost`);
      else if (records.get(id)!.key !== key)
        this.#stage.violate(`routing ${id} was told to be of ${key}, it is of ${records.get(id)!.key}`);
    for (const id of records.keys()) {
      const request = { routing_id: id, verify: true };
      const shown = await this.#demand<Message>(pool, "router", "RoutingService.GetRouting", request);
      if (shown === undefined) return [];
      const verification = shown.verification as { matches: boolean; complete: boolean };
      if (!verification.matches || !verification.complete)
        this.#stage.violate(`routing ${id} decides otherwise when it is replayed`);
      if (told.has(id) && told.get(id) !== shown.recipient_id)
        this.#stage.violate(`routing ${id} was told as ${told.get(id)}, it is ${shown.recipient_id}`);
    }
    return [...records.values()].map(({ key }) => key);
  }

  /** Every pool and recipient that was requested with a key exists once. */
  async #checkDirectory(known: readonly KnownPool[]): Promise<void> {
    for (const pool of known) {
      const made = await this.#demand<{ recipient_ids: string[] }>(pool, "pool", "PoolService.GetPool");
      const most = pool.settings.capacities.length;
      if (
        made &&
        (made.recipient_ids.length > most ||
          !pool.recipientIds.every((id) => made.recipient_ids.includes(id)))
      )
        this.#stage.violate(`${pool.settings.name} has recipients ${made.recipient_ids.join()}`);
    }
  }

  /** What was requested with a key happened at most once; without one, at most once per attempt. */
  #checkOnce(wantedIds: readonly string[]): void {
    const counts = new Map<string, number>();
    for (const id of wantedIds) counts.set(id, (counts.get(id) ?? 0) + 1);
    for (const [id, count] of counts) {
      const wanted = this.#told.wanted.get(id);
      const most = wanted === undefined ? 0 : wanted.idempotent ? 1 : wanted.attempts;
      if (count > most) this.#stage.violate(`${id} happened ${count} times, ${most} at most`);
    }
  }

  async #demand<Response>(
    pool: KnownPool,
    kind: "pool" | "router" | "queue",
    method: string,
    request: Message = {},
  ): Promise<Response | undefined> {
    const asked = { to: at(pool, kind), method, request: { pool_id: pool.id, ...request } };
    return (await this.#stage.demand(asked)) as Response | undefined;
  }
}
