import { devTenantId, isRefusal, type Random } from "#base";
import { directoryOf } from "../../../actors/kit/directory.ts";
import { topicAddress } from "../../../actors/notify/address.ts";
import type { Manifest } from "../../../actors/notify/manifest.ts";
import { addTopicMembers, broadcast, removeTopicMembers } from "../../../actors/notify/methods.ts";
import type { Answer } from "../../../runtime/index.ts";
import type { Callers, Question } from "../caller.ts";
import type { Stage } from "../scenario.ts";

export const workflowKey = "news";
/** Members with this context have switched the topic off. */
export const quiet = "quiet";

/** A broadcast, and the members with their context keys at the time it was accepted. */
export interface Accepted {
  readonly manifest: Manifest;
  readonly members: ReadonlyMap<string, readonly string[]>;
}

interface Act {
  readonly question: Question;
  readonly done: (response: Record<string, unknown>) => void;
}

interface OperatorParts {
  readonly key: string;
  /** All members, or none. */
  readonly subscribers: () => readonly string[];
  /** True: broadcasts can be sent. */
  readonly isReady: () => boolean;
}

/**
 * Changes a topic step by step, repeating each step until it is known to be done: so it knows the members at any time.
 */
export class Operator {
  readonly key: string;
  readonly accepted: Accepted[] = [];
  acknowledged = 0;
  readonly #stage: Stage;
  readonly #callers: Callers;
  readonly #random: Random;
  readonly #subscribers: () => readonly string[];
  readonly #isReady: () => boolean;
  readonly #members = new Map<string, readonly string[]>();
  #acts = 0;
  #isThere = false;
  /** Begun, and not known to be done. */
  #open: Act | undefined;

  constructor(stage: Stage, callers: Callers, { key, subscribers, isReady }: OperatorParts) {
    this.#stage = stage;
    this.#callers = callers;
    this.#random = stage.random;
    this.key = key;
    this.#subscribers = subscribers;
    this.#isReady = isReady;
  }

  manifestOf(transactionId: string): Manifest | undefined {
    return this.#manifests.get(transactionId);
  }

  readonly #manifests = new Map<string, Manifest>();

  start(): void {
    this.#callers.think(120, () => {
      if (this.#subscribers().length === 0) return this.start();
      this.#do(this.#draw());
    });
  }

  /** Completes what was under way when the faults ended. */
  async finish(): Promise<void> {
    const act = this.#open;
    if (!act) return;
    const response = await this.#stage.demand(act.question);
    if (!this.#stage.violated) act.done(response as Record<string, unknown>);
  }

  #draw(): Act {
    if (!this.#isThere) return this.#create();
    const random = this.#random;
    const which = random.float();
    if (this.#members.size === 0 || which < 0.3) return this.#join();
    if (which < 0.5) return this.#leave();
    if (which < 0.93 && this.#isReady()) return this.#broadcast();
    return which < 0.93 ? this.#join() : this.#delete();
  }

  #some(from: readonly string[]): readonly string[] {
    return from.filter(() => this.#random.chance(0.5));
  }

  #create(): Act {
    const question = { method: "TopicService.CreateTopic", request: { key: this.key, name: this.key } };
    return this.#act({ to: directoryOf(devTenantId, "topic"), ...question }, () => {
      this.#isThere = true;
    });
  }

  #delete(): Act {
    const question = { method: "TopicService.DeleteTopic", request: { key: this.key } };
    return this.#act({ to: this.#address, ...question }, () => {
      this.#isThere = false;
      this.#members.clear();
    });
  }

  #join(): Act {
    const subscriberIds = this.#some(this.#subscribers());
    const contextKeys = this.#random.chance(0.3) ? [quiet] : [];
    return this.#topicDo(addTopicMembers, { subscriberIds, contextKeys }, () => {
      for (const id of subscriberIds) this.#members.set(id, contextKeys);
    });
  }

  #leave(): Act {
    const subscriberIds = this.#some([...this.#members.keys()]);
    return this.#topicDo(removeTopicMembers, { subscriberIds }, () => {
      for (const id of subscriberIds) this.#members.delete(id);
    });
  }

  #broadcast(): Act {
    const transactionId = `${this.key}-${this.#acts}`;
    const manifest: Manifest = {
      transactionId,
      workflowKey,
      workflowVersion: 0,
      content: {},
      layer1: null,
      channels: this.#random.chance(0.5) ? ["email"] : ["email", "sms"],
      overrides: {},
      payload: { body: "b" },
      userId: "",
      topicKey: this.key,
      environment: "production",
      ttlMs: 86_400_000,
      timezone: "UTC",
      requireVerified: false,
      tiered: true,
    };
    this.#manifests.set(transactionId, manifest);
    const members = new Map(this.#members);
    return this.#topicDo(broadcast, { manifest }, ({ broadcast: made }) => {
      const { member_count } = made as { member_count: number };
      if (member_count !== members.size)
        this.#stage.violate(`${transactionId} counts ${member_count} members of ${members.size}`);
      this.accepted.push({ manifest, members });
    });
  }

  #topicDo({ name }: { readonly name: string }, given: object, done: Act["done"]): Act {
    const request = { ...given, key: this.key };
    return this.#act({ to: this.#address, method: name, request }, done);
  }

  #act(question: Question, done: Act["done"]): Act {
    const scope = `${this.key} ${this.#acts++}`;
    return { question: { ...question, idempotency: { scope, fingerprint: "f" } }, done };
  }

  get #address() {
    return topicAddress(devTenantId, this.key);
  }

  #do(act: Act): void {
    this.#open = act;
    let isOver = false;
    const how = {
      attemptsLeft: 1_000,
      attempted: () => {},
      heard: (answer: Answer) => {
        if (isOver) return;
        if (isRefusal(answer) && !isBehind(answer.code)) return;
        isOver = true;
        if (isRefusal(answer)) return this.#callers.think(500, () => this.#do(act));
        this.#open = undefined;
        this.acknowledged++;
        act.done(answer.response as Record<string, unknown>);
        this.start();
      },
    };
    this.#callers.persist(act.question, how);
  }
}

/** A replaced owner may not know the topic, or still know the one before it: the question is repeated. */
function isBehind(code: string): boolean {
  return code === "NOT_FOUND" || code === "ALREADY_EXISTS";
}
