import { isRefusal, limits, type Random } from "#base";
import type { CallContext } from "../../../actors/module.ts";
import type { Answer } from "../../../runtime/index.ts";
import { Callers } from "../caller.ts";
import { epochMs } from "../process.ts";
import type { Stage } from "../scenario.ts";
import { Doors } from "./doors.ts";
import { Looks } from "./looks.ts";
import { operate } from "./operators.ts";
import { at, createPool, createRedirect } from "./set-up.ts";
import { customers } from "./settings.ts";
import { Streams } from "./streams.ts";
import {
  type KnownPool,
  type Message,
  settlementOf,
  type Told,
  type ToldLease,
  type Wanted,
} from "./told.ts";

const poolCount = 2;
const settlements = ["complete", "complete", "complete", "fail", "release", "reject", "extend"];

/** Callers that create pools, enqueue, claim, settle, cancel and route, and record every answer. */
export class Clients {
  readonly #callers: Callers;
  readonly #stage: Stage;
  readonly #random: Random;
  readonly #told: Told;
  readonly #doors: Doors;
  readonly #looks: Looks;
  readonly #streams: Streams;
  #count = 0;
  /** The rule that redirects: when it was requested, and when it is known to exist. */
  #redirectId: string | undefined;

  constructor(stage: Stage, told: Told) {
    this.#callers = new Callers(stage);
    this.#stage = stage;
    this.#random = stage.random;
    this.#told = told;
    this.#doors = new Doors(this.#callers, stage);
    this.#looks = new Looks(stage, this.#callers, this.#doors, told);
    this.#streams = new Streams(stage, this.#callers, this.#doors, told);
  }

  start(): void {
    for (let index = 0; index < poolCount; index++)
      this.#told.pools.push(createPool(this.#callers, `p${index}`, this.#random));
    for (let client = 0; client < 8; client++) this.#think();
    this.#streams.start();
  }

  stop(): void {
    this.#callers.stopped = true;
    this.#streams.stop();
  }

  /** For other clients on a stream. */
  context(): CallContext {
    return this.#streams.context();
  }

  unanswered(): readonly string[] {
    return this.#callers.unanswered();
  }

  #think(): void {
    this.#callers.think(this.#stage.faults.quiet ? 500 : 150, () => {
      const pool = this.#random.pick(this.#told.pools);
      if (pool.recipientIds.length > 0) this.#act(pool);
      this.#think();
    });
  }

  #act(pool: KnownPool): void {
    const what = this.#random.int(100);
    if (what < 30) this.#enqueue(pool, this.#random.chance(0.2) ? 3 : 1);
    else if (what < 48) this.#claim(pool);
    else if (what < 68) this.#settle(pool);
    else if (what < 72) this.#work(pool);
    else if (what < 74) this.#looks.progress(pool);
    else if (what < 77) this.#cancel(pool);
    else if (what < 86) this.#route(pool);
    else if (what < 91) this.#outcome(pool);
    else if (what < 95) this.#looks.look(pool);
    else if (what < 96) this.#steer();
    else
      operate(this.#stage, this.#told, pool, (kind, method, request, granted = () => {}) =>
        this.#ask(pool, kind, method, request, {}, granted),
      );
  }

  #enqueue(pool: KnownPool, count: number): void {
    const random = this.#random;
    const wanted: Wanted[] = [];
    const items: Message[] = [];
    const idempotent = random.chance(0.8);
    const now = epochMs + Math.floor(this.#stage.scheduler.nowMs);
    for (let index = 0; index < count; index++) {
      const notBefore = random.chance(0.15) ? now + random.int(3_000) : 0;
      const expiresAt = random.chance(0.15) ? (notBefore || now) + 1_500 + random.int(6_000) : 0;
      const id = `item-${this.#count++}`;
      // Now and then a payload that is too large for its item's own row.
      const payload = random.chance(0.1) ? `${id} ${"x".repeat(limits.queueInlineBytesMax)}` : id;
      const dedupId = random.chance(0.1) && { dedupId: `d${random.int(30)}` };
      const one: Wanted = { id, payload, idempotent, notBefore, expiresAt, ...dedupId, attempts: 0 };
      this.#told.wanted.set(one.id, one);
      wanted.push(one);
      items.push({
        key: `k${random.int(6)}`,
        attributes: this.#attributes(),
        priority: 1 + random.int(5),
        payload,
        ...(dedupId && { dedup_id: dedupId.dedupId }),
        ...(notBefore > 0 && { not_before: new Date(notBefore).toISOString() }),
        ...(expiresAt > 0 && { expires_at: new Date(expiresAt).toISOString() }),
      });
    }
    const attempted = () => {
      for (const one of wanted) one.attempts++;
    };
    const key = idempotent ? wanted[0]!.id : undefined;
    if (count === 1)
      this.#call(pool, "QueueService.Enqueue", items[0]!, { key, attempted }, (response) =>
        this.#told.enqueued(wanted[0]!, response),
      );
    else
      this.#call(pool, "QueueService.EnqueueBatch", { items }, { key, attempted }, (response) => {
        for (const result of response.results as (Message & { index: number })[])
          this.#told.enqueued(wanted[result.index]!, result);
      });
  }

  #attributes(): Message {
    return { c: this.#random.pick(customers), ...(this.#random.chance(0.2) && { away: true }) };
  }

  /** The rule that redirects is created once both pools exist, and is then disabled and enabled. */
  #steer(): void {
    const [from, to] = this.#told.pools;
    if (!from?.id || !to?.id) return;
    if (this.#redirectId === undefined) {
      this.#redirectId = "";
      createRedirect(this.#callers, from, to, (id) => {
        this.#redirectId = id;
      });
    } else if (this.#redirectId !== "") {
      const request = { rule_id: this.#redirectId, enabled: this.#random.chance(0.6) };
      this.#ask(from, "pool", "RuleService.UpdateRule", request, {}, () => this.#told.acknowledged++);
    }
  }

  #claim(pool: KnownPool): void {
    const random = this.#random;
    const recipientId = random.pick(pool.recipientIds);
    const request = {
      recipient_id: recipientId,
      max_items: 1 + random.int(3),
      ...(random.chance(0.5) && { lease_seconds: 1 + random.int(4) }),
      ...(random.chance(0.4) && { wait_seconds: 1 + random.int(3) }),
    };
    const key = random.chance(0.6) ? `claim-${this.#count++}` : undefined;
    this.#ask(pool, "queue", "Claim", request, { key }, (response) =>
      this.#told.leased(pool, recipientId, response),
    );
  }

  #settle(pool: KnownPool): void {
    const chosen = this.#chooseSettlements(pool, this.#random.chance(0.2) ? 3 : 1);
    if (chosen.length === 0) return;
    if (chosen.length === 1) {
      const { lease, outcome } = chosen[0]!;
      const method = `${outcome[0]!.toUpperCase()}${outcome.slice(1)}`;
      this.#ask(pool, "queue", method, settlementOf(lease), {}, (response) =>
        this.#told.settled(lease, outcome, response),
      );
      return;
    }
    const request = { settlements: messagesOf(chosen) };
    this.#ask(pool, "queue", "SettleBatch", request, {}, (response) => this.#settled(chosen, response));
  }

  /** A round of a Work stream: settlements and a claim in one request. */
  #work(pool: KnownPool): void {
    const recipientId = this.#random.pick(pool.recipientIds);
    const chosen = this.#chooseSettlements(pool, 1 + this.#random.int(3));
    const request = {
      settlements: messagesOf(chosen),
      claim: { recipient_id: recipientId, max_items: this.#random.int(4) },
    };
    this.#ask(pool, "queue", "queue.WorkRound", request, {}, (response) => {
      this.#settled(chosen, response);
      this.#told.leased(pool, recipientId, response);
    });
  }

  #chooseSettlements(pool: KnownPool, most: number): Chosen[] {
    const random = this.#random;
    const open = pool.leases.filter((lease) => lease.tried.size === 0);
    // Now and then a lease that has ended: its token must be refused, or get the same answer as before.
    const from = random.chance(0.2) || open.length === 0 ? pool.leases : open;
    const count = Math.min(most, from.length);
    const leases = new Set(Array.from({ length: count }, () => random.pick(from)));
    return [...leases].map((lease) => {
      const again = [...lease.tried].at(-1);
      const outcome = again !== undefined && random.chance(0.5) ? again : random.pick(settlements);
      lease.tried.add(outcome);
      return { lease, outcome };
    });
  }

  #settled(chosen: readonly Chosen[], response: Message): void {
    for (const result of response.results as (Message & { index: number })[]) {
      const { lease, outcome } = chosen[result.index]!;
      if (result.error === undefined) this.#told.settled(lease, outcome, result);
    }
  }

  #cancel(pool: KnownPool): void {
    const id = this.#random.pick([...pool.items.keys()]);
    if (id === undefined) return;
    const key = this.#random.chance(0.5) ? `cancel-${this.#count++}` : undefined;
    this.#ask(pool, "queue", "Cancel", { queue_item_id: id }, { key }, () => {
      this.#told.acknowledged++;
      this.#told.cancelled.add(id);
    });
  }

  #route(pool: KnownPool): void {
    const random = this.#random;
    const idempotent = random.chance(0.7);
    const wanted: Wanted = {
      id: `route-${this.#count++}`,
      payload: "",
      idempotent,
      notBefore: 0,
      expiresAt: 0,
      attempts: 0,
    };
    this.#told.wanted.set(wanted.id, wanted);
    const route = {
      key: wanted.id,
      attributes: this.#attributes(),
      priority: 1 + random.int(5),
      ...(random.chance(0.5) && { reserve: true, reserve_seconds: 1 + random.int(4) }),
    };
    const how = { key: idempotent ? wanted.id : undefined, attempted: () => wanted.attempts++ };
    this.#call(pool, "RoutingService.Route", route, how, (response) => this.#told.routed(wanted, response));
  }

  #outcome(pool: KnownPool): void {
    const routing = this.#random.pick(pool.routings);
    if (routing === undefined) return;
    const id = this.#random.chance(0.3) ? routing.outcomes[0] : undefined;
    const outcome = {
      id: id ?? `outcome-${this.#count++}`,
      routing_id: routing.id,
      result: this.#random.pick(["success", "success", "failure", "timeout", "cancelled"]),
    };
    this.#ask(pool, "router", "router.RecordOutcomes", { outcomes: [outcome] }, {}, (response) => {
      const [answer] = response as unknown as { outcome?: Message }[];
      if (answer!.outcome === undefined) return;
      this.#told.acknowledged++;
      if (!routing.outcomes.includes(outcome.id)) routing.outcomes.push(outcome.id);
    });
  }

  /** As the gateway does it, with redirects. */
  #call(
    pool: KnownPool,
    method: string,
    request: Message,
    how: How,
    granted: (response: Message) => void,
  ): void {
    const { key, attempted = () => {} } = how;
    const { scheduler } = this.#stage;
    const call = (heard: (answer: Answer) => void) =>
      this.#doors.call(method, { pool_id: pool.id, ...request }, key, heard);
    this.#callers.repeat((heard) => call((answer) => heard(answer, scheduler.nowMs)), {
      attemptsLeft: 5,
      attempted,
      heard: (answer) => {
        if (isRefusal(answer)) return;
        granted(answer.response as Message);
        // A caller that loses an answer asks again, when the rules may have changed.
        if (key !== undefined && this.#random.chance(0.2)) this.#callers.think(1_500, () => call(() => {}));
      },
    });
  }

  /** A refused request has not happened; only granted ones are recorded. */
  #ask(
    pool: KnownPool,
    kind: "pool" | "router" | "queue",
    method: string,
    request: Message,
    how: How,
    granted: (response: Message) => void,
  ): void {
    const { key, attempted = () => {} } = how;
    const question = {
      to: at(pool, kind),
      method: method.includes(".") ? method : `QueueService.${method}`,
      request: { pool_id: pool.id, ...request },
      ...(key !== undefined && { idempotency: { scope: key, fingerprint: "f" } }),
    };
    this.#callers.persist(question, {
      attemptsLeft: 5,
      attempted,
      heard: (answer) => {
        if (!isRefusal(answer)) granted(answer.response as Message);
      },
    });
  }
}

interface How {
  readonly key?: string | undefined;
  readonly attempted?: () => void;
}

interface Chosen {
  readonly lease: ToldLease;
  readonly outcome: string;
}

function messagesOf(chosen: readonly Chosen[]): Message[] {
  return chosen.map(({ lease, outcome }) => ({ ...settlementOf(lease), outcome }));
}
