import { devTenantId, limits, newUlid } from "#base";
import { directoryOf } from "../../../actors/kit/directory.ts";
import { encrypt, secretOf } from "../../../actors/kit/secrets.ts";
import { webhookKind } from "../../../actors/kit/webhook.ts";
import type { KeyRing } from "../../../actors/parts.ts";
import { createWebhook, type Made, type Webhook, webhookAt } from "../../../actors/webhooks/record.ts";
import type { Question } from "../caller.ts";
import { epochMs } from "../process.ts";
import type { Stage } from "../scenario.ts";
import type { Arrival, Receiver } from "./receiver.ts";

interface Delivery {
  readonly event_id: string;
  readonly state: string;
}

/** One endpoint, and what must have come of every event in the end. */
export class Endpoint {
  readonly #stage: Stage;
  readonly #id: string;
  readonly #ordering: Webhook["ordering"];
  readonly #keyRing: KeyRing;
  readonly url: string;

  constructor(stage: Stage, ordering: Webhook["ordering"], keyRing: KeyRing) {
    this.#stage = stage;
    this.#ordering = ordering;
    this.#keyRing = keyRing;
    this.#id = newUlid(epochMs, stage.random);
    this.url = `https://receiver.example.com/${ordering}`;
  }

  /** From the very beginning: of every event that is published it has to be told. */
  creation(): Question {
    const id = this.#id;
    const of = { id, tenant: devTenantId, environment: "" };
    const secret = encrypt(
      { keyRing: this.#keyRing },
      { key: Buffer.alloc(32, 1).toString("base64"), headers: {} },
      secretOf(webhookKind, of, 1),
    );
    const record: Made["record"] = {
      ...of,
      ...{ name: this.#ordering, url: this.url, kinds: ["pool"], disabledReason: "", signing: "v1" },
      ...{ ordering: this.#ordering, maxInFlight: 4, headerNames: [], publicKey: "", secret, previous: null },
    };
    const cursor = Array.from({ length: limits.shardCount }, (_, shard) => [shard, 0]).flat();
    return {
      to: directoryOf(devTenantId, webhookKind),
      method: createWebhook.name,
      request: { record, cursor },
      idempotency: { scope: `create ${id}`, fingerprint: "f" },
    };
  }

  /** As many events came as there are, or some are missing, and nothing waits. */
  async isAtRest(counts: ReadonlyMap<string, number>, receiver: Receiver): Promise<boolean> {
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const { last_gap } = (await this.#ask("GetWebhook", {})) as { last_gap?: string };
    if (last_gap === undefined && receiver.at(this.url).size < total) return false;
    return (await this.#deliveries()).every(({ state }) => state === "delivered");
  }

  /** `counts`: how many events each subject has. */
  async reckon(counts: ReadonlyMap<string, number>, receiver: Receiver): Promise<void> {
    const violate = (claim: string) => this.#stage.violate(`${this.#ordering}: ${claim}`);
    const arrived = [...receiver.at(this.url).values()];
    for (const wrong of wrongOrder(this.#ordering, arrived)) return violate(wrong);
    const { last_gap } = (await this.#ask("GetWebhook", {})) as { last_gap?: string };
    const delivered = await this.#deliveries();
    if (this.#stage.violated) return;
    const seen = new Set<string>();
    for (const { event_id, state } of delivered) {
      if (seen.has(event_id)) return violate(`${event_id} has two deliveries`);
      seen.add(event_id);
      if (state !== "delivered") return violate(`the delivery of ${event_id} is ${state}`);
    }
    for (const { id } of arrived) if (!seen.has(id)) return violate(`${id} came and has no delivery`);
    // The events of an outage that is longer than they are kept are missing, and it says so.
    if (last_gap !== undefined) return this.#stage.scheduler.note(`gap of ${this.#ordering}`);
    for (const [subject, count] of counts) {
      const came = new Set(arrived.filter((one) => one.subject === subject).map(({ number }) => number));
      for (let number = 1; number <= count; number++)
        if (!came.has(number)) return violate(`event ${number} of ${subject} never came`);
    }
  }

  async #deliveries(): Promise<readonly Delivery[]> {
    const found: Delivery[] = [];
    for (let page_token = ""; ; ) {
      const page = (await this.#ask("ListDeliveries", { page_size: 100, page_token })) as
        | { deliveries: Delivery[]; next_page_token: string }
        | undefined;
      if (page === undefined) return found;
      found.push(...page.deliveries);
      if (page.next_page_token === "") return found;
      page_token = page.next_page_token;
    }
  }

  async #ask(method: string, request: object): Promise<unknown> {
    const to = webhookAt(devTenantId, this.#id);
    return (await this.#stage.demand({ to, method: `WebhookService.${method}`, request })) ?? {};
  }
}

/** What came first, by subject; with `strict` by shard too, whose events are taken in their order. */
function* wrongOrder(ordering: Webhook["ordering"], arrived: readonly Arrival[]): Generator<string> {
  if (ordering === "none") return;
  const last = new Map<string, number>();
  for (const { id, subject, number } of arrived) {
    const [shard, seq] = id.split("-").map(Number) as [number, number];
    const places = [[subject, number], ...(ordering === "strict" ? [[`shard ${shard}`, seq]] : [])] as const;
    for (const [name, place] of places as readonly (readonly [string, number])[]) {
      if (place < (last.get(name) ?? 0)) yield `${id} of ${name} came after ${last.get(name)}`;
      last.set(name, place);
    }
  }
}
