import { type CallContext, type CalledAs, type Module, makeModules } from "#actors";
import { handleOfChild, isRefusal, RefusalError } from "#base";
import type { Address, Asker } from "#runtime";
import { type SendRow, sendEffect } from "../../actors/audience/deliveries/send-body.ts";
import { directoryOf } from "../../actors/kit/directory.ts";
import { noticeAddress } from "../../actors/notify/address.ts";
import { checkTemplates, renderMessage } from "../../actors/notify/outbound/methods.ts";
import {
  audienceAddresses,
  type IntegrationCopy,
  integrationsAddress,
  type Rendered,
  type RenderRequest,
} from "../../actors/notify/outbound/types.ts";
import { fillDefaults, loadContract } from "../../gateway/contract/index.ts";
import { EntityDriver, testCaller } from "./entity.ts";
import { testParts } from "./module-parts.ts";
import { orchestrate } from "./orchestrate.ts";
import { routeContext, routeRequest } from "./plain-route.ts";

export type Message = Readonly<Record<string, unknown>>;

const tenant = "0000000000000000000000000A";
const contract = loadContract();

/** As doors hand it over: fields without presence are always there. */
function completed(method: string, given: Message): Message {
  const request = structuredClone(given);
  const known = contract.byName.get(method);
  if (known) fillDefaults(known.descriptor.input, request);
  return request;
}

/**
 * The notification modules over entities that are driven step by step: calls as a door makes them, effects when the
 * test says so.
 */
export class DrivenNotifications {
  readonly driver: EntityDriver;
  readonly #modules: readonly Module[];
  readonly #asker: Asker;
  tenantSettings: Message = {};
  may: (permission: string) => boolean = () => true;
  /** Replaces the render threads. */
  render: (request: RenderRequest) => Rendered = rendered;

  constructor(more: Message = {}) {
    const settings = { "notification.dispatch.enabled": true, "notification.sink.enabled": true, ...more };
    this.#modules = makeModules(
      testParts({
        settings,
        clock: { now: () => this.driver.now } as never,
        call: (method, request, as) => this.#internal(method, request as Message, as),
      }),
    );
    this.driver = new EntityDriver(this.#modules.flatMap(({ actors }) => actors));
    const ask: Asker["ask"] = ({ to, method, request, caller }) =>
      new Promise((resolve) => {
        const done = (answer: unknown) =>
          resolve(isRefusal(answer) ? answer : { response: answer, replayed: false });
        const answer = this.driver.ask(to, method, request, { caller, later: done });
        if (answer !== "parked") done(answer);
      });
    this.#asker = { ask, post: (asked, reply) => void ask(asked).then(reply) };
  }

  /** The answer; throws a RefusalError. */
  async call<Answer = Message>(method: string, given: Message, caller: object = {}): Promise<Answer> {
    const request = completed(method, given);
    const orchestration = this.#modules.map(({ orchestrations }) => orchestrations?.[method]).find(Boolean);
    if (orchestration) return (await orchestrate(orchestration, request, this.context(caller))) as Answer;
    return this.#asked(addressOf(method, request), method, request, caller) as Answer;
  }

  #asked(address: Address, method: string, request: Message, caller: object): unknown {
    const answer = this.driver.ask(address, method, request, { caller });
    if (isRefusal(answer)) throw new RefusalError(answer);
    return answer;
  }

  /** The code, reason and fields of the refusal; `undefined` if it answers. */
  async refusal(method: string, request: Message, caller: object = {}): Promise<string | undefined> {
    try {
      await this.call(method, request, caller);
      return undefined;
    } catch (thrown) {
      if (!(thrown instanceof RefusalError)) throw thrown;
      const { code, reason, fields = [] } = thrown.refusal;
      return [code, reason, ...fields.map(({ field }) => field)].filter(Boolean).join(" ");
    }
  }

  async subscriber(external_id: string, more: Message = {}): Promise<string> {
    const made = await this.call<{ id: string }>("SubscriberService.UpsertSubscriber", {
      external_id,
      ...more,
    });
    return made.id;
  }

  /** As the integrations tell every audience. */
  integrate(...put: readonly Partial<IntegrationCopy>[]): void {
    const copies = put.map((given, index) => integration({ id: `integration-${index}`, ...given }));
    for (const address of audienceAddresses(tenant))
      this.driver.tell(address, { type: "integrations_changed", put: copies, removed: [] });
  }

  disintegrate(...removed: readonly string[]): void {
    for (const address of audienceAddresses(tenant))
      this.driver.tell(address, { type: "integrations_changed", put: [], removed });
  }

  /** A trigger that does not wait. */
  trigger(request: Message): Promise<Triggered> {
    const payload = { subject: "Hello", body: "Welcome." };
    return this.call<Triggered>("NotificationService.Trigger", {
      workflow_key: "welcome",
      payload,
      wait_ms: 0,
      ...request,
    });
  }

  /** Due effects of all audiences. */
  due(): { address: Address; id: string; body: SendRow; dueMs: number }[] {
    return audienceAddresses(tenant).flatMap((address) =>
      this.driver
        .effects(address)
        .filter(({ dueMs, kind }) => kind === sendEffect && dueMs <= this.driver.now)
        .map(({ id, body, dueMs }) => ({ address, id, body: body as SendRow, dueMs })),
    );
  }

  /** Runs due effects until there are none. */
  async send(): Promise<number> {
    let count = 0;
    for (let due = this.due(); due.length > 0; due = this.due())
      for (const effect of due) {
        await this.attempt(effect.address, effect.id, effect.body);
        count++;
      }
    return count;
  }

  async attempt(address: Address, id: string, body: SendRow, begun = false): Promise<unknown> {
    const handler = this.#modules.map(({ effects }) => effects?.[sendEffect]).find(Boolean)!;
    const result = await handler.run({
      address,
      id,
      attempt: 1,
      body: body as never,
      begun,
      signal: new AbortController().signal,
      begin: async () => {
        const answer = this.driver.stepEffect(address, { type: "begin", id, attempt: 1 });
        if (isRefusal(answer)) throw new RefusalError(answer);
        return answer;
      },
      extend: () => {},
    });
    this.driver.stepEffect(address, { type: "done", id, attempt: 1, result });
    return result;
  }

  /** A request to a plain route, by its URL; the answer is its status and text. */
  async visit(verb: "GET" | "POST", url: string): Promise<string> {
    const { pathname } = new URL(url);
    const at = pathname.lastIndexOf("/");
    const route = this.#modules
      .flatMap(({ routes = [] }) => routes)
      .find(({ path }) => path === `${pathname.slice(0, at)}/{token}`)!;
    const { asker, clock } = this.context();
    const body = () => Promise.resolve(Buffer.from("List-Unsubscribe=One-Click"));
    const request = routeRequest({ part: pathname.slice(at + 1), body });
    const answer = await route.methods[verb]!.handle(request, routeContext({ asker, clock }));
    return `${answer.status} ${answer.body.trim()}`;
  }

  context(caller: object = {}): CallContext {
    return {
      caller: { ...testCaller(tenant), ...caller },
      asker: this.#asker,
      deadlineMs: Number.MAX_SAFE_INTEGER,
      signal: new AbortController().signal,
      clock: { now: () => this.driver.now, monotonic: () => this.driver.now },
      may: this.may,
      tenantSettings: this.tenantSettings,
    } as unknown as CallContext;
  }

  async #internal(method: string, request: Message, { entity }: CalledAs): Promise<unknown> {
    if (method === renderMessage.name) return this.render(request as unknown as RenderRequest);
    if (method === checkTemplates.name) return {};
    if (entity) return this.#asked({ ...entity, tenant }, method, request, {});
    const internal = this.#modules.map((module) => module.internal?.[method]).find(Boolean);
    return internal ? internal(request as never, this.context()) : this.call(method, request);
  }
}

export interface Triggered {
  readonly transaction_id: string;
  readonly outcomes: readonly {
    readonly channel: string;
    readonly delivery_id: string;
    readonly outcome?: string;
    readonly status: string;
    readonly reason_code: string;
    readonly failure?: { readonly phase: string; readonly code: string };
  }[];
  readonly broadcast?: Message & { readonly state: string };
}

/** Prints its input: templates are covered by the tests of the render pool. */
function rendered({ subject, body, data }: RenderRequest): Rendered {
  const print = (template: string) =>
    template.replace(/\{\{ (\w+) \}\}/g, (_all, name: string) => String(data[name] ?? ""));
  return { type: "rendered", subject: print(subject), text: print(body) };
}

function integration(given: Partial<IntegrationCopy>): IntegrationCopy {
  return {
    id: "integration",
    channel: "email",
    name: "the sink",
    providerKey: "sink",
    connectionId: "",
    priority: 100,
    createdAt: 0,
    condition: "",
    casing: "none",
    onUnknown: "hold",
    metadata: {},
    paceEpoch: 0,
    ...given,
  };
}

/** As the contract's `actor` options declare it. */
function addressOf(method: string, request: Message): Address {
  if (method === "TopicService.CreateTopic") return directoryOf(tenant, "topic");
  if (method.startsWith("IntegrationService.")) return integrationsAddress(tenant);
  if (method.startsWith("NoticeService.")) return noticeAddress(tenant, request.workflow_key as string);
  const id = request.delivery_id ?? request.dead_letter_id ?? request.subscriber_id;
  return { kind: "audience", tenant, key: handleOfChild(id as string) };
}
