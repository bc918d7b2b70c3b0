import type { Clock } from "../clock.ts";
import { connectionLost, isObject, SwitchyardError } from "../errors.ts";
import { type Extension, grouped, type Hello, type Line, type LineEvents } from "./line.ts";
import { settledOf } from "./work-line.ts";

/** One request with its retries; `body` is JSON. */
export type Call = (id: PollMethod, poolId: string, body: string, signal?: AbortSignal) => Promise<unknown>;
export type PollMethod = "claim" | "settle";

/**
 * Claim and SettleBatch, where there is no `Work`: behind a proxy that refuses upgrades, and to settle the rest at a
 * shutdown or while nothing is handed out.
 */
export class PollLine implements Line {
  readonly #hello: Hello;
  readonly #parts: PollLineParts;
  #credit = 0;
  #waiting: Entry[] = [];
  #isClaiming = false;
  #isDue = false;
  #asked = 0;
  #hasAnswered = false;
  #isFinished = false;
  #isOver = false;
  /** A claim that its caller gives up is given nothing. */
  readonly #claims = new AbortController();

  constructor(hello: Hello, parts: PollLineParts) {
    this.#hello = hello;
    this.#parts = parts;
    this.credit(hello.credit);
  }

  credit(items: number): void {
    this.#credit += items;
    void this.#claim();
  }

  settle(settlement: string, alone: boolean): void {
    this.#add({ text: settlement, alone });
  }

  extend({ lease, leaseSeconds, progress }: Extension): void {
    const seconds = leaseSeconds !== undefined && { lease_seconds: leaseSeconds };
    const text = JSON.stringify({
      ...lease,
      outcome: "extend",
      ...seconds,
      ...(progress !== undefined && { progress }),
    });
    this.#add({ text, alone: false });
  }

  finish(): void {
    this.#isFinished = true;
    this.#flush();
    this.#endIfDone();
  }

  close(): void {
    this.#end(undefined);
  }

  #add(entry: Entry): void {
    this.#waiting.push(entry);
    if (this.#waiting.length >= settlementsMax) this.#flush();
    else if (!this.#isDue) {
      this.#isDue = true;
      this.#parts.clock.after(togetherMs, () => this.#flush());
    }
  }

  #flush(): void {
    this.#isDue = false;
    if (this.#isOver) return;
    const entries = this.#waiting.splice(0);
    const together = entries.filter(({ alone }) => !alone).map(({ text }) => text);
    const alone = entries.filter((entry) => entry.alone).map(({ text }) => [text]);
    for (const group of [...grouped(together, settlementsMax), ...alone]) void this.#settle(group);
  }

  async #settle(texts: readonly string[]): Promise<void> {
    const answer = await this.#ask("settle", `{"settlements":[${texts.join()}]}`, (error) => {
      if (error.retryable) return false;
      const leases = texts.map((text) => JSON.parse(text));
      this.#parts.events.refused(
        error,
        leases.map(({ queue_item_id }) => String(queue_item_id)),
      );
      return true;
    });
    if (isObject(answer) && Array.isArray(answer.results)) this.#report(texts, answer.results);
    this.#endIfDone();
  }

  #report(texts: readonly string[], results: readonly Readonly<Record<string, unknown>>[]): void {
    for (const result of results) {
      const settled = settledOf(result);
      if (settled.error?.code === "LEASE_LOST")
        this.#parts.events.lost(JSON.parse(texts[Number(result.index)]!), settled.error.reason ?? "expired");
      else this.#parts.events.settled([settled]);
    }
  }

  async #claim(): Promise<void> {
    if (this.#isClaiming) return;
    this.#isClaiming = true;
    while (this.#credit > 0 && !this.#isFinished && !this.#isOver) {
      const { recipientId, leaseSeconds } = this.#hello;
      const max_items = Math.min(this.#credit, claimItemsMax);
      const seconds = leaseSeconds !== undefined && { lease_seconds: leaseSeconds };
      const request = { recipient_id: recipientId, max_items, wait_seconds: claimSeconds, ...seconds };
      const answer = await this.#ask("claim", JSON.stringify(request), () => false, this.#claims.signal);
      if (!isObject(answer) || !Array.isArray(answer.items)) break;
      this.#credit -= answer.items.length;
      this.#parts.events.assigned(answer.items);
    }
    this.#isClaiming = false;
    this.#endIfDone();
  }

  /** `undefined`: it failed, and either `handled` took care of it or the line is over. */
  async #ask(
    id: PollMethod,
    body: string,
    handled: (error: SwitchyardError) => boolean,
    signal?: AbortSignal,
  ): Promise<unknown> {
    this.#asked++;
    try {
      const answer = await this.#parts.call(id, this.#hello.poolId, body, signal);
      this.#hasAnswered = true;
      return answer;
    } catch (thrown) {
      const error = thrown instanceof SwitchyardError ? thrown : connectionLost(thrown);
      this.#hasAnswered ||= error.status > 0;
      if (!handled(error)) this.#end(error);
      return undefined;
    } finally {
      this.#asked--;
    }
  }

  #endIfDone(): void {
    if (this.#isFinished && this.#asked === 0 && this.#waiting.length === 0 && !this.#isClaiming)
      this.#end(undefined);
  }

  #end(error: SwitchyardError | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#claims.abort();
    this.#parts.events.ended({ error, wasOpen: this.#hasAnswered, retryAfterMs: error?.retryAfterMs });
  }
}

interface Entry {
  readonly text: string;
  readonly alone: boolean;
}

interface PollLineParts {
  readonly events: LineEvents;
  readonly clock: Clock;
  readonly call: Call;
}

const settlementsMax = 100;
const togetherMs = 10;
const claimItemsMax = 100;
const claimSeconds = 20;
