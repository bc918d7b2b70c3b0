import { devTenantId, isRefusal, limits } from "#base";
import { upsertSubscribers } from "../../../actors/audience/methods.ts";
import { audienceOf } from "../../../actors/notify/address.ts";
import { integrationsAddress } from "../../../actors/notify/outbound/types.ts";
import type { Answer } from "../../../runtime/index.ts";
import { modules } from "../../support/module-parts.ts";
import { Callers, type Question } from "../caller.ts";
import type { Process } from "../process.ts";
import type { Scenario, Stage } from "../scenario.ts";
import { Operator, quiet, workflowKey } from "./operator.ts";
import { Outside, providers, rate } from "./outside.ts";
import { reckonBroadcast } from "./reckoning.ts";

const topicKeys = ["t0", "t1"];
const externalIds = Array.from({ length: 9 }, (_, n) => `u${n}`);
/** Longer than all attempts of a delivery take. */
const restMs = 600_000;
/** So small that a broadcast takes several steps, and waits for its window, its deliveries and a slot. */
const small = {
  broadcastStepMembers: 2,
  broadcastPartMembers: 1,
  broadcastPartsMax: 4,
  broadcastBusyLow: 0,
  audienceRunningMax: 2,
};

const actors = modules.flatMap((module) => module.actors);

/**
 * Topics that members join and leave, that are deleted and created again, and broadcasts to them, under all faults of
 * the owners.
 */
export class NotifyScenario implements Scenario {
  readonly #stage: Stage;
  readonly #callers: Callers;
  readonly #outside: Outside;
  readonly #operators: readonly Operator[];
  readonly #ids = new Map<string, string>();
  #left = 0;

  constructor(stage: Stage) {
    Object.assign(limits, small);
    this.#stage = stage;
    this.#callers = new Callers(stage);
    this.#outside = new Outside(stage);
    const subscribers = () => (this.#ids.size === externalIds.length ? [...this.#ids.values()] : []);
    const isReady = () => this.#left === 0;
    this.#operators = topicKeys.map(
      (key) => new Operator(stage, this.#callers, { key, subscribers, isReady }),
    );
  }

  actors() {
    return actors;
  }

  effects(process: () => Process) {
    return this.#outside.handlers(process, (transactionId) => {
      const known = this.#operators.map((one) => one.manifestOf(transactionId)).find(Boolean);
      if (!known) throw new Error(`${transactionId} was never asked for`);
      return known;
    });
  }

  get acknowledged(): number {
    return this.#operators.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  }

  start(): void {
    this.#integrate("email", {});
    this.#integrate("sms", { rate: { per_second: rate.perSecond, burst: rate.burst } });
    for (const [index, external_id] of externalIds.entries()) {
      const given = { external_id, email: `${external_id}@example.com`, phone: `+1202555010${index}` };
      const request = { given: [given] };
      const to = audienceOf(devTenantId, external_id);
      this.#setUp({ to, method: upsertSubscribers.name, request }, (response) => {
        const [card] = response as [{ id: string }];
        this.#ids.set(external_id, card.id);
        for (const topic_key of topicKeys) this.#switchOff(external_id, card.id, topic_key);
      });
    }
    for (const operator of this.#operators) operator.start();
  }

  #integrate(channel: keyof typeof providers, more: object): void {
    const request = { channel, name: channel, provider_key: providers[channel], ...more };
    const to = integrationsAddress(devTenantId);
    this.#setUp({ to, method: "IntegrationService.CreateIntegration", request });
  }

  #switchOff(external_id: string, subscriber_id: string, topic_key: string): void {
    const row = { workflow_key: workflowKey, topic_key, context_keys: [quiet], all: { enabled: false } };
    const to = audienceOf(devTenantId, external_id);
    this.#setUp({ to, method: "SubscriberService.PutPreference", request: { subscriber_id, ...row } });
  }

  #setUp(question: Question, done: (response: unknown) => void = () => {}): void {
    this.#left++;
    const scope = JSON.stringify(question);
    let isOver = false;
    const how = {
      attemptsLeft: 1_000,
      attempted: () => {},
      heard: (answer: Answer) => {
        if (isRefusal(answer) || isOver) return;
        isOver = true;
        done(answer.response);
        this.#left--;
      },
    };
    this.#callers.persist({ ...question, idempotency: { scope, fingerprint: "f" } }, how);
  }

  stop(): void {
    this.#callers.stopped = true;
  }

  unanswered(): readonly string[] {
    return this.#callers.unanswered();
  }

  async reckon(): Promise<void> {
    for (const operator of this.#operators) await operator.finish();
    const accepted = this.#operators.flatMap((operator) => operator.accepted);
    await this.#stage.pass(restMs);
    const told = new Set<string>();
    for (const one of accepted) await reckonBroadcast(this.#stage, one, this.#outside.arrived, told);
    if (this.#stage.violated) return;
    for (const key of this.#outside.arrived.keys())
      if (!told.has(key)) this.#stage.violate(`${key} was sent, and no delivery has it`);
    this.#outside.checkRate();
    this.#stage.scheduler.note(JSON.stringify([...this.#outside.arrived]));
  }
}
