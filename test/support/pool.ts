import { handleOf, isRefusal, limits } from "#base";
import { type Address, defineActor } from "#runtime";
import { makeDirectory } from "../../actors/directory/index.ts";
import { poolDirectory } from "../../actors/pools/pool/directory.ts";
import { pool } from "../../actors/pools/pool/index.ts";
import { router } from "../../actors/pools/router/index.ts";
import type { State } from "../../actors/pools/router/state.ts";
import { type PackedRequest, packRoute, readAnswer } from "../../actors/pools/router/wire.ts";
import type { QueuePoolEvent, QueueView } from "../../actors/pools/router.ts";
import { anomalyDirectory, makeWatch } from "../../actors/pools/watch/index.ts";
import { EntityDriver } from "./entity.ts";

export const tenant = "01JTENANT00000000000000000";

type Message = Record<string, unknown>;

/** A queue as far as its pool knows it: a number of items. */
const stubQueue = defineActor<{ liveItems: number; paused: boolean } & QueueView, number, QueuePoolEvent>({
  kind: "queue",
  placement: "key",
  twins: ["pool", "router"],
  empty: () => ({ liveItems: 0, paused: false }),
  resident: [],
  restore: () => {},
  decide: () => ({ events: [] }),
  apply: (state) => {
    state.liveItems = 0;
  },
  methods: {},
});

/** Pools, recipients, rules and routing over the synchronous driver. */
export class PoolBench {
  readonly driver = new EntityDriver([
    ...makeDirectory([poolDirectory, anomalyDirectory]).actors,
    pool,
    router,
    stubQueue,
    makeWatch(true),
  ]);
  poolId = "";

  constructor(settings: Message = {}) {
    const request = { name: "p", tenantKey: "key", ...settings };
    const pool = this.ask(this.directory(), "PoolService.CreatePool", request) as Message;
    if (isRefusal(pool)) throw new Error(`no pool: ${JSON.stringify(pool)}`);
    this.poolId = pool.id as string;
  }

  directory(): Address {
    return { kind: "directory", tenant, key: "pool" };
  }

  at(kind: "pool" | "router" | "queue" | "watch"): Address {
    return { kind, tenant, key: handleOf(this.poolId) };
  }

  ask(to: Address, method: string, request: Message, caller = {}): unknown {
    return this.driver.ask(to, method, request, { caller });
  }

  pool(method: string, request: Message = {}, caller = {}): Message {
    return this.ask(this.at("pool"), method, { pool_id: this.poolId, ...request }, caller) as Message;
  }

  router(method: string, request: Message = {}): Message {
    return this.ask(this.at("router"), method, { pool_id: this.poolId, ...request }) as Message;
  }

  /** Ids in the order of creation. */
  recipients(settings: readonly Message[]): string[] {
    return settings.map((one, index) => {
      this.driver.now += 1;
      return this.pool("RecipientService.CreateRecipient", { name: `r${index}`, ...one }).id as string;
    });
  }

  rule(request: Message): Message {
    this.driver.now += 1;
    return this.pool("RuleService.CreateRule", { name: "rule", ...request });
  }

  /** One decision, or several in one batch. */
  routes(
    routes: readonly Message[],
    { keyed = false, explained = limits.explainedMax as number } = {},
  ): Answer[] | Message {
    const packed = routes.map((route) => packRoute(route, explained));
    const single = routes.length === 1;
    const request: PackedRequest = [this.poolId, packed, keyed, [], "", single];
    const answers = this.driver.ask(this.at("router"), "router.Route", request);
    if (!Array.isArray(answers)) return answers as Message;
    const asked = { poolId: this.poolId, tenant, redirectedFrom: [] };
    return answers.map((answer, index) => readAnswer(answer, routes[index]!, asked)) as unknown as Answer[];
  }

  route(route: Message = {}): Answer {
    const answers = this.routes([route]);
    return Array.isArray(answers) ? answers[0]! : { refusal: answers };
  }

  outcome(outcome: Message): Message {
    const [answer] = this.router("router.RecordOutcomes", {
      outcomes: [outcome],
      single: false,
    }) as unknown as Message[];
    return answer!;
  }

  /** Reports how items given to a recipient ended. */
  observe(recipient_id: string, result: "success" | "failure" | "cancelled", times = 1): void {
    for (let i = 0; i < times; i++)
      this.outcome({ queue_item_id: "01JVVVVVVVVVVVVVVVVVVVVVVV", recipient_id, result });
  }

  recipient(id: string): Message {
    return this.pool("RecipientService.GetRecipient", { recipient_id: id });
  }

  get state(): State {
    return this.driver.state<State>(this.at("router"));
  }
}

export interface Answer {
  readonly routing?: Message & { recipient_id: string; id: string; explanation: Explained[] };
  readonly refusal?: Message;
  readonly redirect?: string;
}

export interface Explained {
  readonly recipient_id: string;
  readonly eligible: boolean;
  readonly chosen: boolean;
  readonly reason: string;
  readonly detail: string;
}
