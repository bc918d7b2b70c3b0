import { setTimeout as pause } from "node:timers/promises";
import { isRefusal, limits, type Refusal, RefusalError, refuse } from "#base";
import type { AnswerOf, Method } from "../../../kit/ask.ts";
import { batchError } from "../../../kit/batch.ts";
import { type CallContext, RefusedMessage, type StreamHandler } from "../../../module.ts";

import { HeldLeases } from "./held-leases.ts";
import { PendingSettlements } from "./pending-settlements.ts";
import { type Leased, type LostFrame, queueAt, settleBatch, workRound, workWait } from "./questions.ts";
import type { EntryRequest } from "./request.ts";

/** What a worker sends; one of the members. */
interface WorkRequest {
  readonly hello?: {
    readonly pool_id: string;
    readonly recipient_id: string;
    readonly lease_seconds?: number;
    readonly credit?: number;
  };
  readonly credit?: { readonly items: number };
  readonly settle?: { readonly settlements: readonly EntryRequest[] };
  readonly extend?: {
    readonly leases: readonly { readonly queue_item_id: string; readonly lease_token: string }[];
    readonly lease_seconds?: number;
  };
}

type Frame = Record<string, unknown>;

/**
 * A worker's session: it is given items as long as it has credit, and settles them as it goes. Settlements that come while
 * an answer is under way go together with the next one, and take new items with them: the busier, the fewer questions.
 */
export function workStreamOver(rest: Rest): StreamHandler {
  return async function* (requests, call) {
    const session = new Session(call, rest);
    void session.read(requests as AsyncIterable<WorkRequest | RefusedMessage>);
    try {
      yield* session.frames();
    } finally {
      await session.close();
    }
  };
}

export const workStream = workStreamOver(async (ms, signal) => {
  await pause(ms, undefined, { signal }).catch(() => {});
});

/** Lets time pass, until it is cut short; the simulator has a time of its own. */
type Rest = (ms: number, signal: AbortSignal) => Promise<void>;

class Session {
  readonly #call: CallContext;
  readonly #rest: Rest;
  /** Of the wait that is under way. */
  #stop = new AbortController();
  readonly #out: Frame[] = [];
  #hello: NonNullable<WorkRequest["hello"]> | undefined;
  #credit = 0;
  /** Who begins without credit asks for nothing: whether there are such a pool and recipient is to be asked once, first of all. */
  #greets = false;
  readonly #pending = new PendingSettlements();
  #working: Promise<void> | undefined;
  #waiting: Promise<void> | undefined;
  /** Items that the wait may bring; 0: it only listens for lost leases, and for its pool or recipient to go. */
  #wanted = 0;
  /** It was asked while the worker held leases: until those are settled the stream does not end. */
  #holding = false;
  /** The first lost lease it has not heard of; 0: all that the queue remembers, some of them maybe again. */
  #listenFrom = 0;
  readonly #held = new HeldLeases();
  #inputEnded = false;
  /** What could not be read. What came before it is settled and answered first. */
  #unread: unknown;
  #failure: Error | undefined;
  #wake: () => void = () => {};
  #room: () => void = () => {};

  constructor(call: CallContext, rest: Rest) {
    this.#call = call;
    this.#rest = rest;
    call.signal.addEventListener("abort", () => this.#end(), { once: true });
  }

  async *frames(): AsyncGenerator<Frame> {
    for (;;) {
      while (this.#out.length > 0) yield this.#out.shift()!;
      this.#room();
      if (this.#failure) throw this.#failure;
      const idle = this.#pending.isEmpty && !this.#greets && !this.#working;
      if (this.#unread && idle) throw this.#unread;
      if (this.#call.signal.aborted || (this.#inputEnded && idle)) return;
      this.#advance();
      if (this.#out.length > 0 || this.#failure) continue;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async read(requests: AsyncIterable<WorkRequest | RefusedMessage>): Promise<void> {
    try {
      for await (const request of requests) {
        if (request instanceof RefusedMessage) this.#refuse(request);
        else this.#receive(request);
        this.#wake();
        // A worker that sends faster than we commit, or than it reads, is held back by its own connection.
        while (this.#pending.isFull || this.#out.length >= limits.workUnsentMax)
          await new Promise<void>((resolve) => {
            this.#room = resolve;
          });
      }
    } catch (error) {
      this.#unread = error;
    }
    this.#end();
  }

  /** Nothing more is handed out; what was assigned and not sent is given back at once. */
  async close(): Promise<void> {
    this.#end();
    await this.#waiting;
    await this.#working;
    const unsent = this.#out.flatMap(
      ({ assigned }) => (assigned as { items: Leased[] } | undefined)?.items ?? [],
    );
    if (unsent.length > 0) await this.#giveBack(unsent);
  }

  #end(): void {
    this.#inputEnded = true;
    this.#stop.abort();
    this.#wake();
  }

  /** Nothing of this frame is done; what it named is told with it. Without a session there is nothing to go on with. */
  #refuse({ message, refusal }: RefusedMessage): void {
    if (!this.#hello) throw new RefusalError(refusal);
    const { settle, extend } = message as WorkRequest;
    const named = [...(settle?.settlements ?? []), ...(extend?.leases ?? [])].slice(0, limits.settleBatchMax);
    // What is longer than an id is none, and may be megabytes: a worker that reads nothing would leave them all to us.
    const ids = named.flatMap((lease) => lease?.queue_item_id ?? []).filter((id) => id.length <= idLength);
    this.#out.push({ refused: { error: batchError(refusal), queue_item_ids: ids } });
  }

  #receive(request: WorkRequest): void {
    const { hello, credit, settle, extend } = request;
    if (!hello && !credit && !settle && !extend && this.#hello) {
      this.#refuse(new RefusedMessage(request, badFrame("a frame has one of hello, credit, settle, extend")));
      return;
    }
    if (hello && this.#hello) {
      this.#refuse(new RefusedMessage(request, badFrame("hello was already sent")));
      return;
    }
    if (hello) {
      this.#hello = hello;
      this.#credit = hello.credit ?? 0;
      this.#greets = this.#credit === 0;
      return;
    }
    if (!this.#hello) throw new RefusalError(badFrame("the first frame must be hello"));
    this.#credit += credit?.items ?? 0;
    for (const settlement of settle?.settlements ?? []) this.#pending.add(settlement);
    if (extend)
      for (const lease of extend.leases)
        this.#pending.add({
          ...lease,
          outcome: "extend",
          ...(extend.lease_seconds !== undefined && { lease_seconds: extend.lease_seconds }),
        });
  }

  /**
   * Asks what is to be asked now, without waiting for it. One wait a stream, for items, for lost leases and for the end of
   * its pool or recipient alike: a queue has room for so many.
   */
  #advance(): void {
    if (!this.#hello) return;
    if (!this.#working && (this.#greets || !this.#pending.isEmpty)) this.#working = this.#round(this.#hello);
    if (this.#working || this.#inputEnded) return;
    if (!this.#waiting) this.#waiting = this.#wait(this.#hello);
    // It listens only, and there is credit by now, or nothing left to settle: it makes way for one that asks for that.
    else if (this.#wanted === 0 && (this.#credit > 0 || (this.#holding && this.#held.isEmpty)))
      this.#stop.abort();
  }

  async #round(hello: NonNullable<WorkRequest["hello"]>): Promise<void> {
    const settlements = this.#greets ? [] : this.#pending.next();
    this.#greets = false;
    this.#room();
    const wanted = this.#wanted > 0 || this.#inputEnded ? 0 : Math.min(this.#credit, limits.claimItemsMax);
    this.#credit -= wanted;
    const request = { settlements, claim: { ...claimOf(hello), max_items: wanted } };
    const answer = await this.#ask(workRound, request, 0);
    if (isRefusal(answer)) this.#goAway(answer);
    else {
      const { results, items } = answer.response;
      this.#credit += wanted - items.length;
      this.#report(settlements, results);
      // Its last word may have come while this was asked: it could not settle them here any more.
      if (this.#inputEnded && items.length > 0) await this.#giveBack(items);
      else this.#assign(items);
    }
    this.#working = undefined;
    this.#wake();
  }

  #assign(items: readonly Leased[]): void {
    if (items.length === 0) return;
    for (const { item, lease_token } of items) this.#held.add(item.id, lease_token);
    this.#out.push({ assigned: { items } });
  }

  /** A lease that is taken away is reported when it happens; its worker need not find out by settling. */
  async #wait(hello: NonNullable<WorkRequest["hello"]>): Promise<void> {
    const wanted = Math.min(this.#credit, limits.claimItemsMax);
    this.#credit -= wanted;
    this.#wanted = wanted;
    this.#holding = !this.#held.isEmpty;
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    const asked = { max_items: wanted, first: this.#listenFrom, holds: this.#holding };
    const request = { ...claimOf(hello), ...asked };
    const answer = await this.#ask(workWait, request, limits.claimWaitMs, signal);
    if (isRefusal(answer)) {
      this.#credit += wanted;
      // The next owner of the queue counts anew; what is told twice is not held any more the second time.
      this.#listenFrom = 0;
      if (!signal.aborted && this.#endsWith(answer, wanted)) this.#goAway(answer);
      else if (!signal.aborted) await this.#rest(answer.retryAfterMs || limits.retryAfterMs, signal);
    } else {
      const { items, lost, next } = answer.response;
      this.#credit += wanted - items.length;
      this.#listenFrom = next;
      this.#tellLost(lost);
      if (this.#inputEnded && items.length > 0) await this.#giveBack(items);
      else this.#assign(items);
    }
    this.#wanted = 0;
    this.#waiting = undefined;
    this.#wake();
  }

  /**
   * A recipient that is set aside, or a pool that is, hands nothing out; what a worker holds it may still settle here. A wait
   * that only listens is asked again after any other refusal.
   */
  #endsWith({ code }: Refusal, wanted: number): boolean {
    if (code === "FAILED_PRECONDITION") return this.#held.isEmpty;
    return wanted > 0 || (code === "NOT_FOUND" && this.#held.isEmpty);
  }

  #tellLost(lost: readonly LostFrame[]): void {
    for (const { queue_item_id, lease_token, reason } of lost) {
      if (this.#held.letGo(queue_item_id, lease_token))
        this.#out.push({ lease_lost: { queue_item_id, lease_token, reason } });
    }
  }

  /** A queue that moves, or a server that drains, says so; the worker comes back elsewhere. Any other refusal ends the call with it. */
  #goAway(refusal: Refusal): void {
    if (refusal.code === "UNAVAILABLE")
      this.#out.push({
        go_away: { reason: refusal.reason ?? "UNAVAILABLE", retry_after_ms: refusal.retryAfterMs ?? 0 },
      });
    this.#failure ??= new RefusalError(refusal);
  }

  async #giveBack(items: readonly Leased[]): Promise<void> {
    const settlements = items.map(({ item, lease_token }) => ({
      queue_item_id: item.id,
      lease_token,
      outcome: "release" as const,
    }));
    await this.#ask(settleBatch, { settlements }, 0);
  }

  #report(settlements: readonly EntryRequest[], results: readonly Frame[]): void {
    const settled: Frame[] = [];
    for (const { index, ...result } of results) {
      const error = result.error as { error_code: string; reason: string } | undefined;
      const { queue_item_id, lease_token } = settlements[index as number]!;
      // An extension shows who works on the item: its worker may have come from a stream that is gone.
      if (result.state === "leased") this.#held.add(queue_item_id, lease_token);
      // One that was too large has changed nothing: the lease is its worker's until it says less, or loses it.
      else if (error?.error_code !== "PAYLOAD_TOO_LARGE") this.#held.letGo(queue_item_id, lease_token);
      if (error?.error_code === "LEASE_LOST")
        this.#out.push({ lease_lost: { queue_item_id, lease_token, reason: error.reason } });
      else settled.push(result);
    }
    if (settled.length > 0) this.#out.push({ settled: { results: settled } });
  }

  #ask<Request, Response>(
    { name }: Method<Request, Response>,
    request: Omit<NoInfer<Request>, "pool_id">,
    waitMs: number,
    signal?: AbortSignal,
  ) {
    const { caller, asker, deadlineMs, clock } = this.#call;
    const { pool_id } = this.#hello!;
    return asker.ask({
      to: queueAt(caller.tenant, pool_id),
      method: name,
      request: { ...request, pool_id },
      caller,
      // As long as any other call: a machine that is busy for a few seconds ends no stream.
      deadlineMs: Math.min(deadlineMs, clock.now() + waitMs + limits.requestTimeoutMs),
      ...(signal && { signal }),
    }) as Promise<AnswerOf<Response>>;
  }
}

function claimOf({ recipient_id, lease_seconds }: NonNullable<WorkRequest["hello"]>) {
  return { recipient_id, ...(lease_seconds !== undefined && { lease_seconds }) };
}

const idLength = 26;

function badFrame(detail: string): Refusal {
  return refuse("INVALID_ARGUMENT", detail);
}
