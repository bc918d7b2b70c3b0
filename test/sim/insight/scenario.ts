import { devTenantId, isRefusal, limits } from "#base";
import { listNext } from "../../../actors/events/list-next.ts";
import { ask } from "../../../actors/kit/ask.ts";
import { nextEvents } from "../../../actors/kit/next-events.ts";
import type { ModuleCall } from "../../../actors/parts.ts";
import { pumpHandler } from "../../../actors/webhooks/effects/pump.ts";
import { sendHandler } from "../../../actors/webhooks/effects/send.ts";
import type { Parts } from "../../../actors/webhooks/parts.ts";
import { createKeyRing } from "../../../gateway/key-ring/index.ts";
import type { Answer, EffectHandlers } from "../../../runtime/index.ts";
import { modules } from "../../support/module-parts.ts";
import { askerOf, callContext } from "../call-context.ts";
import { Callers } from "../caller.ts";
import { lookForEvents } from "../look.ts";
import type { Process } from "../process.ts";
import type { Scenario, Stage } from "../scenario.ts";
import { Endpoint } from "./endpoint.ts";
import { Receiver } from "./receiver.ts";
import { Reports } from "./reports.ts";
import { source, sourceKind } from "./source.ts";

const subjects = ["a", "b", "c", "d"];
const orderings = ["none", "subject", "strict"] as const;
/** Longer than every delivery waits once for its second attempt. */
const restMs = 180_000;
const lookMs = 3_000;
/** So small that a run has many slots, and an endpoint waits for its window. */
const small = { healthSlotMs: 400, webhookWaitMs: 5_000, webhookStepMax: 5 };

const actors = [...modules.flatMap((module) => module.actors), source];
const keyRing = createKeyRing({ activeId: "k1", byId: new Map([["k1", Buffer.alloc(32, 7)]]) });

/** Events that are sent to endpoints of each order, and reports that callers offer, under all faults of their owners. */
export class InsightScenario implements Scenario {
  readonly #stage: Stage;
  readonly #callers: Callers;
  readonly #receiver: Receiver;
  readonly #endpoints: readonly Endpoint[];
  /** Those whose creation was answered. */
  readonly #created: Endpoint[] = [];
  readonly #reports: Reports;
  /** How many events each subject has in the end. */
  readonly #counts = new Map<string, number>();
  #published = 0;

  constructor(stage: Stage) {
    Object.assign(limits, small);
    this.#stage = stage;
    this.#callers = new Callers(stage);
    this.#receiver = new Receiver(stage);
    this.#endpoints = orderings.map((ordering) => new Endpoint(stage, ordering, keyRing));
    this.#reports = new Reports(stage, this.#callers);
  }

  actors() {
    return actors;
  }

  effects(process: () => Process): EffectHandlers {
    const parts = partsOf(this.#stage, this.#receiver, process);
    return { webhook_pump: pumpHandler(parts), webhook_send: sendHandler(parts) };
  }

  get acknowledged(): number {
    return this.#published + this.#reports.acknowledged;
  }

  start(): void {
    for (const endpoint of this.#endpoints)
      this.#persist(endpoint.creation(), () => {
        this.#created.push(endpoint);
      });
    for (const subject of subjects) this.#publish(subject, 1);
    for (let caller = 0; caller < 3; caller++) this.#reports.follow();
  }

  stop(): void {
    this.#callers.stopped = true;
  }

  unanswered(): readonly string[] {
    return this.#callers.unanswered();
  }

  async reckon(): Promise<void> {
    for (const subject of subjects) {
      const to = { kind: sourceKind, tenant: devTenantId, key: subject };
      this.#counts.set(subject, (await this.#stage.demand({ to, method: "count", request: {} })) as number);
    }
    for (let ms = 0; ms < restMs && !(await this.#isAtRest()); ms += lookMs) await this.#stage.pass(lookMs);
    for (const endpoint of this.#created) {
      if (this.#stage.violated) return;
      await endpoint.reckon(this.#counts, this.#receiver);
    }
    for (const { partition, keys } of this.#stage.stored())
      if (partition[0] === "webhook" && partition[3] === "~effect" && keys.length > 1)
        this.#stage.violate(`effects are left: ${JSON.stringify(keys)}`);
    this.#stage.scheduler.note(
      JSON.stringify([...this.#receiver.arrived].map(([url, { size }]) => [url, size])),
    );
  }

  async #isAtRest(): Promise<boolean> {
    for (const endpoint of this.#created)
      if (!this.#stage.violated && !(await endpoint.isAtRest(this.#counts, this.#receiver))) return false;
    return true;
  }

  #publish(subject: string, number: number): void {
    this.#callers.think(120, () => {
      const to = { kind: sourceKind, tenant: devTenantId, key: subject };
      const idempotency = { scope: `${subject} ${number}`, fingerprint: "f" };
      this.#persist({ to, method: "publish", request: {}, idempotency }, () => {
        this.#published++;
        this.#publish(subject, number + 1);
      });
    });
  }

  #persist(question: Parameters<Callers["persist"]>[0], done: () => void): void {
    let isOver = false;
    const heard = (answer: Answer) => {
      if (isRefusal(answer) || isOver) return;
      isOver = true;
      done();
    };
    this.#callers.persist(question, { attemptsLeft: 1_000, attempted: () => {}, heard });
  }
}

/** The parts from which the handlers of one process are made. */
function partsOf(stage: Stage, receiver: Receiver, process: () => Process): Parts {
  const call: ModuleCall = (name, request, { tenant, subject, signal = never, entity }) => {
    // Nobody is suspended here.
    if (name === "WebhookService.GetWebhook") return Promise.resolve({});
    const context = callContext(
      stage,
      askerOf((one, reply) => process().ask(one, reply)),
    );
    const calling = {
      ...context,
      caller: { ...context.caller, tenant, subject, principalKind: "module" as const },
      deadlineMs: process().wallMs() + limits.moduleCallMs,
      signal,
    };
    if (name !== nextEvents.name)
      return ask(calling, { kind: entity!.kind, name }, { key: entity!.key, request });
    const looker = { owner: process().owner, random: process().random };
    const asker = {
      ...calling.asker,
      subscribe: (from: Parameters<typeof lookForEvents>[2]) => lookForEvents(stage, looker, from, signal),
    };
    return listNext(request as never, { ...calling, asker });
  };
  return {
    outgoing: receiver.outgoing(process),
    keyRing,
    call,
    clock: { now: () => process().wallMs(), monotonic: () => stage.scheduler.nowMs },
    metrics: { add() {}, observe() {}, gauge() {}, counter() {}, histogram() {} },
    loopback: true,
    isOn: true,
  };
}

const never = new AbortController().signal;
