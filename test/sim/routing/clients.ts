import { devTenantId, isRefusal, type Random } from "#base";
import {
  type PackedAnswer,
  type PackedRequest,
  packRoute,
  readAnswer,
} from "../../../actors/routing/wire.ts";
import { Callers } from "../caller.ts";
import { epochMs } from "../process.ts";
import type { Stage } from "../scenario.ts";
import { at, createPool } from "./set-up.ts";
import { customers } from "./settings.ts";
import type { KnownPool, Message, Told, ToldLease, Wanted } from "./told.ts";

const poolCount = 2;
const settlements = ["complete", "complete", "complete", "fail", "release", "reject", "extend"];

/** Callers that make pools, put items into them, take leases, settle, cancel, route, and remember every answer. */
export class Clients {
  readonly #callers: Callers;
  readonly #stage: Stage;
  readonly #random: Random;
  readonly #told: Told;
  #count = 0;

  constructor(stage: Stage, told: Told) {
    this.#callers = new Callers(stage);
    this.#stage = stage;
    this.#random = stage.random;
    this.#told = told;
  }

  start(): void {
    for (let index = 0; index < poolCount; index++)
      this.#told.pools.push(createPool(this.#callers, `p${index}`, this.#random));
    for (let client = 0; client < 8; client++) this.#think();
  }

  stop(): void {
    this.#callers.stopped = true;
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
    else if (what < 74) this.#settle(pool);
    else if (what < 77) this.#cancel(pool);
    else if (what < 86) this.#route(pool);
    else if (what < 91) this.#outcome(pool);
    else if (what < 95) this.#look(pool);
    else this.#operate(pool, what);
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
      const one: Wanted = { id: `item-${this.#count++}`, idempotent, notBefore, expiresAt, attempts: 0 };
      this.#told.wanted.set(one.id, one);
      wanted.push(one);
      items.push({
        key: `k${random.int(6)}`,
        attributes: { c: random.pick(customers) },
        priority: 1 + random.int(5),
        payload: one.id,
        ...(random.chance(0.1) && { dedup_id: `d${random.int(30)}` }),
        ...(notBefore > 0 && { not_before: new Date(notBefore).toISOString() }),
        ...(expiresAt > 0 && { expires_at: new Date(expiresAt).toISOString() }),
      });
    }
    const attempted = () => {
      for (const one of wanted) one.attempts++;
    };
    const key = idempotent ? wanted[0]!.id : undefined;
    if (count === 1)
      this.#ask(pool, "queue", "Enqueue", items[0]!, { key, attempted }, (response) =>
        this.#told.enqueued(pool, wanted[0]!, response),
      );
    else
      this.#ask(pool, "queue", "EnqueueBatch", { items }, { key, attempted }, (response) => {
        for (const result of response.results as (Message & { index: number })[])
          this.#told.enqueued(pool, wanted[result.index]!, result);
      });
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
    const random = this.#random;
    const open = pool.leases.filter((lease) => lease.tried.size === 0);
    // Now and then one that is over already: its token must be worth nothing, or give the answer it gave.
    const from = random.chance(0.2) || open.length === 0 ? pool.leases : open;
    if (from.length === 0) return;
    const count = random.chance(0.2) ? Math.min(3, from.length) : 1;
    const leases = new Set(Array.from({ length: count }, () => random.pick(from)));
    const chosen = [...leases].map((lease) => {
      const again = [...lease.tried].at(-1);
      const outcome = again !== undefined && random.chance(0.5) ? again : random.pick(settlements);
      lease.tried.add(outcome);
      return { lease, outcome };
    });
    if (chosen.length === 1) {
      const { lease, outcome } = chosen[0]!;
      const method = `${outcome[0]!.toUpperCase()}${outcome.slice(1)}`;
      this.#ask(pool, "queue", method, settlementOf(lease), {}, (response) =>
        this.#told.settled(lease, outcome, response),
      );
      return;
    }
    const request = {
      settlements: chosen.map(({ lease, outcome }) => ({ ...settlementOf(lease), outcome })),
    };
    this.#ask(pool, "queue", "SettleBatch", request, {}, (response) => {
      for (const result of response.results as (Message & { index: number })[]) {
        const { lease, outcome } = chosen[result.index]!;
        if (result.error === undefined) this.#told.settled(lease, outcome, result);
      }
    });
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
      idempotent,
      notBefore: 0,
      expiresAt: 0,
      attempts: 0,
    };
    this.#told.wanted.set(wanted.id, wanted);
    const route = {
      key: wanted.id,
      attributes: { c: random.pick(customers) },
      priority: 1 + random.int(5),
      ...(random.chance(0.5) && { reserve: true, reserve_seconds: 1 + random.int(4) }),
    };
    const request: PackedRequest = [pool.id, [packRoute(route)], idempotent, [], ""];
    const how = { key: idempotent ? wanted.id : undefined, attempted: () => wanted.attempts++ };
    this.#ask(pool, "router", "Router.Route", request, how, (response) => {
      const [packed] = response as unknown as PackedAnswer[];
      const asked = { poolId: pool.id, tenant: devTenantId, redirectedFrom: [] };
      const answer = readAnswer(packed!, route, asked);
      if (!("routing" in answer)) return;
      this.#told.acknowledged++;
      const { id, recipient_id: recipientId } = answer.routing as { id: string; recipient_id: string };
      pool.routings.push({ id, recipientId, outcomes: [] });
    });
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
    this.#ask(pool, "router", "Router.RecordOutcomes", { outcomes: [outcome] }, {}, (response) => {
      const [answer] = response as unknown as { outcome?: Message }[];
      if (answer!.outcome === undefined) return;
      this.#told.acknowledged++;
      if (!routing.outcomes.includes(outcome.id)) routing.outcomes.push(outcome.id);
    });
  }

  /** Questions that change nothing. */
  #look(pool: KnownPool): void {
    const id = this.#random.pick([...pool.items.keys()]);
    const question = this.#random.pick([
      { kind: "queue", method: "QueueService.GetItem", request: { queue_item_id: id ?? "" } },
      { kind: "queue", method: "QueueControlService.GetQueueStatus", request: {} },
      {
        kind: "queue",
        method: "AdmissionService.PreviewAdmission",
        request: { key: "k1", attributes: { c: "a" }, payload: "preview" },
      },
    ] as const);
    const request = { pool_id: pool.id, ...question.request };
    this.#callers.send({ to: at(pool, question.kind), method: question.method, request }, 0.2, () => {});
  }

  #operate(pool: KnownPool, what: number): void {
    const random = this.#random;
    const recipient_id = random.pick(pool.recipientIds);
    const until = new Date(epochMs + this.#stage.scheduler.nowMs + random.int(2_000)).toISOString();
    const dead = pool.leases.filter((lease) => lease.settled.has("reject"));
    if (what === 95) this.#ask(pool, "queue", "QueueControlService.PauseQueue", { until }, {}, () => {});
    else if (what === 96) this.#ask(pool, "queue", "DeadLetterService.RetryAll", { rate: 5 }, {}, () => {});
    else if (what === 97)
      this.#ask(pool, "pool", "RecipientService.PauseRecipient", { recipient_id }, {}, () => {});
    else if (what === 98)
      this.#ask(pool, "pool", "RecipientService.ResumeRecipient", { recipient_id }, {}, () => {});
    else if (dead.length > 0) {
      const request = { queue_item_ids: [random.pick(dead).itemId] };
      this.#ask(pool, "queue", "DeadLetterService.Retry", request, {}, () => {});
    }
  }

  /** What was refused has not happened; only what was granted is remembered. */
  #ask(
    pool: KnownPool,
    kind: "pool" | "router" | "queue",
    method: string,
    request: Message | PackedRequest,
    how: { readonly key?: string | undefined; readonly attempted?: () => void },
    granted: (response: Message) => void,
  ): void {
    const { key, attempted = () => {} } = how;
    const question = {
      to: at(pool, kind),
      method: method.includes(".") ? method : `QueueService.${method}`,
      request: Array.isArray(request) ? request : { pool_id: pool.id, ...request },
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

function settlementOf(lease: ToldLease): Message {
  return { queue_item_id: lease.itemId, lease_token: lease.token };
}
