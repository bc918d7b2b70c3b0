import { isRefusal, type Random, RefusalError } from "#base";
import type { Answer, Ask } from "../../../runtime/index.ts";
import { Channel } from "../../support/channel.ts";
import { played, type StreamParts } from "./played.ts";
import type { KnownPool, Message, ToldLease } from "./told.ts";

type Frame = Readonly<Record<string, Message | undefined>>;

interface Sent {
  readonly lease: ToldLease;
  readonly outcome: string;
}

const outcomes = ["complete", "complete", "complete", "fail", "release", "reject", "extend"];

/** A worker on a `Work` stream: gives credit, takes items, settles some of them, and leaves in different ways. */
export class WorkStream {
  readonly #parts: StreamParts;
  readonly #random: Random;
  readonly #name: string;
  readonly #pool: KnownPool;
  readonly #recipientId: string;
  readonly #input = new Channel();
  readonly #stop = new AbortController();
  /** Items it asked for, and items it got. */
  #credit: number;
  #assigned = 0;
  readonly #leases: ToldLease[] = [];
  readonly #sent: Sent[] = [];
  /** Tokens that the queue gave to the stream, that the stream gave to its worker, and that it gave back. */
  readonly #taken = new Set<unknown>();
  readonly #toldOf = new Set<unknown>();
  readonly #givenBack = new Set<unknown>();
  #waits = 0;
  #refused = false;
  over = false;

  constructor(parts: StreamParts, name: string, pool: KnownPool, ended: () => void) {
    this.#parts = parts;
    this.#random = parts.stage.random;
    this.#name = name;
    this.#pool = pool;
    this.#recipientId = this.#random.pick(pool.recipientIds);
    this.#credit = this.#random.int(4);
    const hello = { pool_id: pool.id, recipient_id: this.#recipientId, credit: this.#credit };
    this.#input.send({ hello });
    this.#act();
    void this.#read().then(() => {
      this.over = true;
      this.#check();
      ended();
    });
  }

  /** Without closing, like a connection that breaks. */
  leave(): void {
    this.#stop.abort();
  }

  async #read(): Promise<void> {
    const { stage, callers, doors } = this.#parts;
    const rest = (ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        const cancel = stage.scheduler.schedule(callers.owner, ms, "rest", resolve);
        const cut = () => {
          cancel();
          resolve();
        };
        signal.addEventListener("abort", cut, { once: true });
      });
    const asker = this.#parts.asker(
      (ask) => this.#seen(ask),
      (ask, answer) => this.#heard(ask, answer),
    );
    const call = { ...doors.context(asker), signal: this.#stop.signal };
    const frames = played.work(rest)(this.#input, call)[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done, value } = await frames.next();
        if (done) return;
        this.#hear(value as Frame);
        if (this.#random.chance(0.3))
          await stage.scheduler.delay(callers.owner, this.#random.float() * 200, "read slowly");
        if (this.#stop.signal.aborted) {
          await frames.return?.();
          return;
        }
      }
    } catch (error) {
      if (!(error instanceof RefusalError)) throw error;
      this.#refused = true;
    }
  }

  #seen({ method, request }: Ask): void {
    if (method === "queue.WorkWait" && ++this.#waits > 1) this.#violate("has two waits in its queue");
    if (method !== "QueueService.SettleBatch") return;
    for (const { lease_token } of (request as { settlements: Message[] }).settlements)
      this.#givenBack.add(lease_token);
  }

  #heard({ method }: Ask, answer: Answer): void {
    if (method === "queue.WorkWait") this.#waits--;
    if (isRefusal(answer)) return;
    const { items } = answer.response as { items?: Message[] };
    for (const { lease_token } of items ?? []) this.#taken.add(lease_token);
  }

  #hear({ assigned, settled, lease_lost }: Frame): void {
    if (assigned) this.#assign(assigned.items as Message[]);
    for (const result of (settled?.results as Message[] | undefined) ?? []) this.#settled(result);
    if (lease_lost) this.#lost(lease_lost);
  }

  #assign(items: readonly Message[]): void {
    const { told } = this.#parts;
    this.#assigned += items.length;
    if (this.#assigned > this.#credit)
      this.#violate(`was given ${this.#assigned} items with a credit of ${this.#credit}`);
    for (const { lease_token } of items) {
      if (this.#toldOf.has(lease_token)) this.#violate(`was given ${lease_token} twice`);
      if (!this.#taken.has(lease_token)) this.#violate(`was given ${lease_token}, which it did not take`);
      this.#toldOf.add(lease_token);
    }
    told.leased(this.#pool, this.#recipientId, { items });
    const tokens = new Set(items.map(({ lease_token }) => lease_token));
    this.#leases.push(...this.#pool.leases.filter(({ token }) => tokens.has(token)));
  }

  #settled(result: Message): void {
    const index = this.#sent.findIndex(({ lease }) => lease.itemId === result.queue_item_id);
    const [sent] = index < 0 ? [] : this.#sent.splice(index, 1);
    if (sent === undefined) {
      this.#violate(`was told of ${result.queue_item_id}, which it did not settle`);
      return;
    }
    const { lease, outcome } = sent;
    const { told } = this.#parts;
    if (result.error === undefined) told.settled(lease, outcome, result);
    if (outcome === "extend")
      told.progress.answered(lease, result.error === undefined ? "granted" : "refused");
  }

  #lost({ queue_item_id, lease_token }: Message): void {
    const index = this.#sent.findIndex(({ lease }) => lease.token === lease_token);
    if (index >= 0) this.#sent.splice(index, 1);
    const lease = this.#leases.find(({ token }) => token === lease_token);
    if (lease === undefined) this.#violate(`lost ${queue_item_id}, which it did not have`);
    else lease.lost = true;
  }

  #act(): void {
    const { callers, stage } = this.#parts;
    callers.think(stage.faults.quiet ? 500 : 150, () => {
      if (this.over || this.#stop.signal.aborted) return;
      const what = this.#random.int(20);
      if (what < 6) this.#give(1 + this.#random.int(3));
      else if (what < 17) this.#settle();
      else if (what === 17) this.#input.end();
      else if (what === 18) this.leave();
      if (what !== 17) this.#act();
    });
  }

  #give(items: number): void {
    this.#credit += items;
    this.#input.send({ credit: { items } });
  }

  /** One settlement of a lease at a time, so that its answer is identified by its item. */
  #settle(): void {
    const open = this.#leases.filter(
      ({ itemId, tried }) => tried.size === 0 && !this.#sent.some(({ lease }) => lease.itemId === itemId),
    );
    const lease = this.#random.pick(open);
    if (lease === undefined) return;
    const outcome = this.#random.pick(outcomes);
    // A worker extends a lease more than once, and says how far it is.
    if (outcome !== "extend") lease.tried.add(outcome);
    this.#sent.push({ lease, outcome });
    const named = { queue_item_id: lease.itemId, lease_token: lease.token };
    const progress = outcome === "extend" && this.#parts.told.progress.next(lease);
    if (outcome === "extend")
      this.#input.send({ extend: { leases: [{ ...named, ...(progress && { progress }) }] } });
    else this.#input.send({ settle: { settlements: [{ ...named, outcome }] } });
  }

  #check(): void {
    for (const token of this.#taken)
      if (!this.#toldOf.has(token) && !this.#givenBack.has(token))
        this.#violate(`took ${token}, did not pass it to its worker and did not give it back`);
    if (this.#refused || this.#stop.signal.aborted) return;
    for (const { lease, outcome } of this.#sent)
      this.#violate(`ended in order and never answered ${outcome} of ${lease.itemId}`);
  }

  #violate(claim: string): void {
    this.#parts.stage.violate(`work stream ${this.#name} ${claim}`);
  }
}
